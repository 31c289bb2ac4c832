import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { processIo } from '../../src/cli/io.ts'
import { newPassword } from '../../src/cli/prompts.ts'

for (const [what, typed] of [
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
  ['the end of the terminal', undefined],
] as const) {
  test(`${what} at the prompt for a password is an interruption`, { timeout: 10_000 }, async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const asked = newPassword({ ...processIo(), stdin, stderr: { write: () => true } }, false)
    if (typed === undefined) stdin.end()
    else stdin.write(typed)
    await assert.rejects(asked, { code: 'TASK_FAILED', message: 'Interrupted; nothing was changed' })
  })
}
