import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { type Io, processIo } from '../../src/cli/io.ts'
import { ask, confirm } from '../../src/cli/prompts.ts'

const ERASE = '\u001b[0J'

/** A terminal at which `typed` is entered; `shown` is the text after the last time that the line was erased. */
function terminalWith(typed: string): { io: Io; shown: () => string } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.write(typed)
  let stderr = ''
  const write = (text: string) => {
    stderr += text
  }
  return { io: { ...processIo(), stdin, stderr: { write } }, shown: () => stderr.split(ERASE).at(-1) ?? '' }
}

test('a question stays on the terminal while it is answered', async () => {
  const { io, shown } = terminalWith('y\r')
  await confirm(io, 'Delete 3 records?')
  assert.match(shown(), /^Delete 3 records\? \[y\/N\] /)
})

test('an answer is shown, unless it is hidden', async () => {
  const open = terminalWith('0301 23\r')
  assert.equal(await ask(open.io, 'Phone: '), '0301 23')
  assert.ok(open.shown().includes('0301 23'), open.shown())
  const hidden = terminalWith('secret\r')
  assert.equal(await ask(hidden.io, 'PIN: ', { isHidden: true }), 'secret')
  assert.equal(hidden.shown(), 'PIN: \n')
})
