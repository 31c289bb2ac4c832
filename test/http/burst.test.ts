import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { endInBurst } from '../../src/http/burst.ts'

function recorder() {
  const ended: string[] = []
  const response = (name: string) => ({ end: (body: string) => ended.push(`${name}: ${body}`) }) as unknown as ServerResponse
  return { ended, response }
}

test('Answers of one turn are sent together, in their order, and each once', async () => {
  const { ended, response } = recorder()
  endInBurst(response('first'), 'one')
  await Promise.resolve()
  endInBurst(response('second'), 'two')
  assert.deepEqual(ended, [])
  await setImmediate()
  assert.deepEqual(ended, ['first: one', 'second: two'])
  endInBurst(response('third'), 'three')
  await setImmediate()
  assert.deepEqual(ended, ['first: one', 'second: two', 'third: three'])
})

test('An answer waits no longer than for what was being worked out', () => {
  const { ended, response } = recorder()
  endInBurst(response('quick'), 'one')
  const began = performance.now()
  while (performance.now() - began < 5);
  endInBurst(response('slow'), 'two')
  assert.deepEqual(ended, ['quick: one', 'slow: two'])
})
