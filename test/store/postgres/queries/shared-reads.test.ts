import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedReads } from '../../../../src/store/postgres/queries/shared-reads.ts'

/** Reads whose turn ends when `endTurn` is called. */
function shared() {
  const turn: (() => void)[] = []
  const reads = new SharedReads<string>((work) => turn.push(work))
  const endTurn = () => turn.splice(0).forEach((work) => void work())
  const sent: { key: string; signal: AbortSignal; answer: (text: string) => void; fail: (error: Error) => void }[] = []
  const read = (key: string, signal?: AbortSignal) =>
    reads.read(key, (sentSignal) => new Promise((answer, fail) => sent.push({ key, signal: sentSignal, answer, fail })), signal)
  return { read, endTurn, sent }
}

const gone = (promise: Promise<unknown>, reason: string) => assert.rejects(promise, (error) => error === reason)

test('equal reads of one turn are sent once', async () => {
  const { read, endTurn, sent } = shared()
  const all = [read('a'), read('a', new AbortController().signal), read('b')]
  assert.equal(sent.length, 0)
  endTurn()
  assert.deepEqual(
    sent.map(({ key }) => key),
    ['a', 'b'],
  )
  for (const { key, answer } of sent) answer(`the answer of ${key}`)
  assert.deepEqual(await Promise.all(all), ['the answer of a', 'the answer of a', 'the answer of b'])
})

test('a read does not join one that has been sent, since a write may lie between', () => {
  const { read, endTurn, sent } = shared()
  void read('a')
  endTurn()
  void read('a')
  endTurn()
  assert.equal(sent.length, 2)
})

test('an error is that of all callers', async () => {
  const { read, endTurn, sent } = shared()
  const all = [read('a'), read('a', new AbortController().signal)]
  endTurn()
  sent[0]?.fail(new Error('lost'))
  for (const each of all) await assert.rejects(each, /lost/)
})

test('a statement is cancelled when all its callers have gone', async () => {
  const { read, endTurn, sent } = shared()
  const [first, second] = [new AbortController(), new AbortController()]
  const all = [read('a', first.signal), read('a', second.signal)]
  endTurn()
  first.abort('first gone')
  await gone(all[0] as Promise<string>, 'first gone')
  assert.equal(sent[0]?.signal.aborted, false)
  second.abort('second gone')
  await gone(all[1] as Promise<string>, 'second gone')
  assert.equal(sent[0]?.signal.aborted, true)
})

test('a caller without a signal keeps the statement', async () => {
  const { read, endTurn, sent } = shared()
  const leaving = new AbortController()
  const [kept, left] = [read('a'), read('a', leaving.signal)]
  endTurn()
  leaving.abort('gone')
  await gone(left, 'gone')
  assert.equal(sent[0]?.signal.aborted, false)
  sent[0]?.answer('here')
  assert.equal(await kept, 'here')
})

test('a read whose callers have gone before it is sent is never sent, and is not joined', async () => {
  const { read, endTurn, sent } = shared()
  const leaving = new AbortController()
  const left = read('a', leaving.signal)
  leaving.abort('gone')
  const kept = read('a')
  await gone(left, 'gone')
  endTurn()
  assert.equal(sent.length, 1)
  sent[0]?.answer('here')
  assert.equal(await kept, 'here')
  await gone(read('a', leaving.signal), 'gone')
})
