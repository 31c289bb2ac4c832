import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ResponseBatch } from '../../../src/http/direct-response.ts'

function recorder() {
  const ended: string[] = []
  const burst = new ResponseBatch(() => clock.now)
  const clock = { now: 1000 }
  const response = (name: string) => ({ end: (body: string) => ended.push(`${name}: ${body}`) }) as unknown as ServerResponse
  return { ended, clock, burst, response }
}

test('Answers of one turn are sent together, in their order, and each once', async () => {
  const { ended, burst, response } = recorder()
  burst.end(response('first'), 'one')
  await Promise.resolve()
  burst.end(response('second'), 'two')
  assert.deepEqual(ended, [])
  await setImmediate()
  assert.deepEqual(ended, ['first: one', 'second: two'])
  burst.end(response('third'), 'three')
  await setImmediate()
  assert.deepEqual(ended, ['first: one', 'second: two', 'third: three'])
})

test('a response waits only for those being computed', () => {
  const { ended, clock, burst, response } = recorder()
  burst.end(response('quick'), 'one')
  clock.now += 5
  burst.end(response('slow'), 'two')
  assert.deepEqual(ended, ['quick: one', 'slow: two'])
})
