import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ADMIN_BIN } from '../helpers/cli/process.ts'

/** Loaded before the program: prints the folder of compiled code, and at the end the packages that were loaded. */
const PRELOADED = `data:text/javascript,${encodeURIComponent(`
import module from 'node:module'
module.enableCompileCache = (folder) => console.error('cache ' + folder)
process.on('exit', () => {
  const files = Object.keys(module.createRequire('/').cache)
  const packages = files.map((file) => /node_modules.((?:@[^/\\\\]+.)?[^/\\\\]+)/.exec(file)?.[1] ?? file)
  console.error('packages ' + [...new Set(packages)].join())
})
`)}`

async function started(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<string[]> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', PRELOADED, ADMIN_BIN, ...argv], { env })
  return stderr.trim().split('\n')
}

test('the help of the program loads no command and its packages', async () => {
  assert.deepEqual(await started(['--help'], {}), ['packages commander'])
})

test('compiled code is kept in a folder of the user, if there is one', async () => {
  const home = join(import.meta.dirname, 'home')
  const folderBy = async (env: Readonly<Record<string, string>>) => (await started(['--version'], env))[0]
  assert.equal(await folderBy({ HOME: home }), `cache ${join(home, '.cache', 'admin-folder')}`)
  assert.equal(await folderBy({ HOME: home, XDG_CACHE_HOME: '/x' }), `cache ${join('/x', 'admin-folder')}`)
  assert.equal(await folderBy({ XDG_CACHE_HOME: 'here' }), 'packages commander')
})
