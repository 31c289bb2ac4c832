import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { runCli } from '../helpers/cli.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

const COMMANDS = [
  ['serve', '--port', '0'],
  ['token'],
  ['users', 'list'],
  ['users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin'],
  ['mock', 'post'],
  ['export', 'post'],
  ['reset'],
  ['reset', '--seed-data'],
  ['snapshot', 'save', 'x'],
  ['webhooks', 'list'],
  ['compact'],
  ['types'],
  ['openapi'],
  ['lint'],
]

describe('in a folder that is no project', () => {
  for (const argv of COMMANDS) {
    test(`admin ${argv.join(' ')} is rejected and creates nothing`, async () => {
      const folder = await temporaryFolder()
      try {
        const { code, stdout, stderr } = await runCli(argv, { cwd: folder.path, stdin: 'a-good-password' })
        assert.deepEqual([code, stdout], [2, ''])
        assert.match(stderr, /^error There is no project in .*: no models, views or admin\.config; .*`admin init`\n$/)
        assert.deepEqual(await readdir(folder.path), [])
      } finally {
        await folder.remove()
      }
    })
  }
})
