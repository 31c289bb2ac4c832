import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8'))

test('npm ci decides on every install script, and runs none that sends telemetry', () => {
  const { allowScripts, scarfSettings } = read('package.json') as {
    allowScripts: Record<string, boolean>
    scarfSettings: { enabled: boolean }
  }
  const { packages } = read('package-lock.json') as { packages: Record<string, { hasInstallScript?: boolean }> }
  const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)
  const names = withScript.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  assert.deepEqual(names.sort(), Object.keys(allowScripts).sort())
  // esbuild chooses its binary. Scarf reports installations; versions of npm before `allowScripts` obey `scarfSettings`.
  assert.deepEqual(allowScripts, { esbuild: true, '@scarf/scarf': false })
  assert.equal(scarfSettings.enabled, false)
})

test('the package names its repository, its issues and its page', () => {
  const { repository, bugs, homepage } = read('package.json') as Record<string, unknown>
  assert.match(String((repository as { url?: unknown }).url), /^git\+https:\/\/.+\.git$/)
  for (const address of [bugs, homepage]) assert.match(String(address), /^https:\/\//)
})
