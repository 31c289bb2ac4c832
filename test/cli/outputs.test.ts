import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { describe, test } from 'node:test'
import { startReceiver } from '../helpers/api/receiver.ts'
import { ADMIN_BIN } from '../helpers/cli/process.ts'

const FILE = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="tag.csv"' }

/** Runs the real program with an export that never ends, and another stdout, of which a pipe is closed as soon as something came. */
async function exportInto(stdout: number | 'pipe') {
  let isGone = () => {}
  const gone = new Promise<void>((resolve) => {
    isGone = resolve
  })
  const server = await startReceiver((response) => {
    response.writeHead(200, FILE)
    const more = () => {
      while (!response.destroyed && response.write('1,x\r\n'.repeat(10_000))) {}
    }
    response.on('drain', more).on('close', () => isGone())
    more()
  })
  const env = { ...process.env, ADMIN_TOKEN: 'x', ADMIN_URL: new URL(server.url).origin }
  const child = spawn(process.execPath, [ADMIN_BIN, 'export', 'tag'], { env, stdio: ['ignore', stdout, 'pipe'] })
  const closed = once(child, 'close')
  child.stdout?.once('data', () => child.stdout?.destroy())
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await closed
  await gone
  await server.close()
  return { code, stderr }
}

describe('an output of the real program', () => {
  test('that its reader closes ends a download without an error', { timeout: 60_000 }, async () => {
    assert.deepEqual(await exportInto('pipe'), { code: 0, stderr: '' })
  })

  test('that cannot be written ends it with an error', { timeout: 60_000, skip: process.platform !== 'linux' }, async () => {
    const { code, stderr } = await exportInto(openSync('/dev/full', 'w'))
    assert.equal(code, 1)
    assert.match(stderr, /^error stdout cannot be written: ENOSPC[^\n]*\n$/)
  })

  test('that cannot be written is an error of the shortest command, too', { skip: process.platform !== 'linux' }, async () => {
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const
    const child = spawn(process.execPath, [ADMIN_BIN, '--version'], { stdio: [...stdio] })
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    assert.equal((await once(child, 'close'))[0], 1)
    assert.match(stderr, /^error stdout cannot be written: ENOSPC/)
  })
})
