import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { runCli } from '../helpers/cli/cli.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

const COMMANDS = [
  'lint',
  'serve --port 0',
  'serve --port 0 --ephemeral',
  'serve --port 0 --watch',
  'token',
  'users list',
  'users add ann --email ann@example.com --password-stdin',
  'webhooks list',
  'search note word',
  'export note',
  'import note - --format csv',
  'mock --all',
  'generate view note',
  'openapi',
  'types',
  'reset',
  'snapshot save first',
  'snapshot load first',
  'snapshot list',
  'compact',
  'doctor',
]

for (const line of COMMANDS) {
  test(`admin ${line} in a folder that is no project refuses and creates nothing`, async () => {
    await using folder = await temporaryFolder()
    const { code, stdout, stderr } = await runCli(line.split(' '), { cwd: folder.path, stdin: 'long-enough\n' })
    const remedy = 'name its folder with --project, or create one with `admin init`'
    const expected = `error There is no project in ${folder.path}: no models, views or admin.config; ${remedy}\n`
    assert.deepEqual([code, stdout, stderr], [2, '', expected])
    assert.deepEqual(await readdir(folder.path), [])
  })
}
