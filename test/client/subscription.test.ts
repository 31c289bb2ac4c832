import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdminError } from '../../src/client/client.ts'
import { Subscription } from '../../src/client/subscription.ts'
import type { ChangeEvent, SubscribeOptions } from '../../src/client/types-site.ts'

/** Delay after which a silent stream counts as broken. */
const SILENCE_MS = 60_000

/** What a server does with a request for a stream: refuses it, or sends text and then ends, breaks or leaves the stream open. */
type Turn = AdminError | Response | { readonly text: string; readonly after?: 'end' | 'break' | 'stay' | 'silence' }

const change = (id: number): string =>
  `event: change\nid: run-${id}\ndata: {"model":"tag","record_id":${id},"action":"create","at":"2026-01-15T12:00:00.000Z"}\n\n`
const ready = (id: number): string => `event: ready\nid: run-${id}\ndata: {}\n\n`
const RESET = 'event: reset\ndata: {}\n\n'

const refusal = (type: AdminError['type'], status: number, retryAfter?: number): AdminError =>
  new AdminError('no', { type, status, retryAfter })

/** Runs a subscription through turns of a server; it is aborted when the last one is reached and has been read. */
async function subscribed(turns: readonly Turn[], options: Partial<SubscribeOptions> = {}) {
  const log: string[] = []
  const waits: number[] = []
  const abort = new AbortController()
  let turn = 0
  const open = async (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    const next = turns[turn++]
    log.push(`open ${lastEventId ?? '-'}`)
    if (next === undefined) {
      abort.abort(new Error('no more turns'))
      throw signal.reason
    }
    if (next instanceof AdminError) throw next
    return next instanceof Response ? next : streamOf(next, signal)
  }
  const wait = (ms: number, signal?: AbortSignal): Promise<void> => {
    const isSilence = ms === SILENCE_MS
    if (!isSilence) waits.push(ms)
    const current = turns[turn - 1]
    if (!isSilence || (current instanceof Object && 'after' in current && current.after === 'silence')) return Promise.resolve()
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const subscription = new Subscription(
    { open, wait, random: () => 0.5 },
    {
      onChange: ({ record_id: id }: ChangeEvent) => void log.push(`change ${id}`),
      onReset: () => void log.push('reset'),
      onConnection: (isConnected) => void log.push(isConnected ? 'on' : 'off'),
      signal: abort.signal,
      ...options,
    },
  )
  const error = await subscription.run().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { log, waits, error }
}

function streamOf({ text, after = 'end' }: Exclude<Turn, AdminError | Response>, signal: AbortSignal): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // In pieces, so that events are split.
      for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) controller.enqueue(new TextEncoder().encode(piece))
      if (after === 'end') controller.close()
      signal.addEventListener('abort', () => {
        if (after !== 'end') controller.error(signal.reason)
      })
    },
    pull(controller) {
      if (after === 'break') controller.error(new TypeError('terminated'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

describe('a subscription', () => {
  test('reports each change once, in order, over streams that end or break within an event', async () => {
    const { log, error } = await subscribed([
      { text: ready(0) + change(1) + change(2) + change(3).slice(0, 30) },
      { text: ready(2) + change(3), after: 'break' },
      { text: ready(3) + change(4) },
    ])
    assert.equal(error, undefined)
    assert.deepEqual(log, [
      ...['open -', 'on', 'change 1', 'change 2', 'off'],
      ...['open run-2', 'on', 'change 3', 'off'],
      ...['open run-3', 'on', 'change 4', 'off'],
      'open run-4',
    ])
  })

  test('calls onRequest before each request for the stream', async () => {
    let requests = 0
    const requestsAt: number[] = []
    const { log } = await subscribed(
      [{ text: ready(0) }, new AdminError('No response', { type: 'network' }), { text: ready(0) }],
      { onRequest: () => void requests++, onConnection: (isConnected) => void (isConnected && requestsAt.push(requests)) },
    )
    assert.deepEqual(requestsAt, [1, 3])
    assert.equal(requests, log.filter((line) => line.startsWith('open')).length)
  })

  test('calls onReset when the server no longer knows the last id, and goes on from the new one', async () => {
    const { log } = await subscribed([
      { text: ready(7) },
      { text: `event: reset\nid: next-1\ndata: {}\n\n${change(2)}` },
      { text: `${ready(2)}event: reset\nid: next-9\ndata: {}\n\n` },
    ])
    assert.deepEqual(log, [
      ...['open -', 'on', 'off'],
      ...['open run-7', 'on', 'reset', 'change 2', 'off'],
      ...['open run-2', 'on', 'reset', 'off'],
      'open next-9',
    ])
  })

  test('calls onReset once, after the stream is open again, when a reset ends it', async () => {
    for (const next of ['event: reset\nid: next-0\ndata: {}\n\n', ready(7)]) {
      const { log } = await subscribed([{ text: ready(7) + RESET, after: 'stay' }, refusal('network', 0), { text: next }])
      assert.deepEqual(log.slice(0, 7), ['open -', 'on', 'off', 'open run-7', 'open run-7', 'on', 'reset'])
      assert.equal(log.filter((line) => line === 'reset').length, 1)
    }
  })

  test('waits longer after each failure, at random and up to a limit, and less after a success', async () => {
    const failures = Array.from({ length: 7 }, () => refusal('unavailable', 503))
    const { waits } = await subscribed([...failures, { text: ready(0) }, refusal('server', 500)])
    assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 500, 1000])
  })

  test('waits at least for Retry-After', async () => {
    const { waits } = await subscribed([refusal('rate_limit', 429, 30), { text: ready(0) }])
    assert.deepEqual(waits, [30_000, 500])
  })

  test('opens the stream again after expired, and when nothing arrives for a minute', async () => {
    const { log } = await subscribed([
      { text: `${ready(1)}event: expired\ndata: {}\n\n`, after: 'stay' },
      { text: ready(1), after: 'silence' },
    ])
    assert.deepEqual(log.slice(0, 4), ['open -', 'on', 'off', 'open run-1'])
    assert.equal(log.at(-1), 'open run-1')
  })

  test('ends with the error of a refusal that stays', async () => {
    for (const [type, status] of [
      ['authentication', 401],
      ['permission', 403],
      ['not_found', 404],
      ['request', 400],
    ] as const) {
      const { error, log } = await subscribed([{ text: ready(0) }, refusal(type, status), { text: ready(0) }])
      assert.ok(error instanceof AdminError && error.type === type, String(error))
      assert.equal(log.filter((line) => line.startsWith('open')).length, 2)
    }
  })

  test('ends when the response is no stream of events', async () => {
    const { error } = await subscribed([new Response('<html>', { headers: { 'content-type': 'text/html' } })])
    assert.match(String(error), /responded with text\/html instead of events/)
  })

  test('waits for callbacks, and ends with their error, even one of a request that failed', async () => {
    const done: number[] = []
    const slow = async ({ record_id: id }: ChangeEvent) => {
      await new Promise((resolve) => setImmediate(resolve))
      done.push(id)
    }
    await subscribed([{ text: ready(0) + change(1) + change(2) }], { onChange: slow })
    assert.deepEqual(done, [1, 2])
    const failing = refusal('network', 0)
    const { error } = await subscribed([{ text: ready(0) + change(1) }, { text: ready(1) }], {
      onChange: () => Promise.reject(failing),
    })
    assert.equal(error, failing)
  })

  test('ends without an error when it is aborted, within a callback or before it begins', async () => {
    const abort = new AbortController()
    const seen: number[] = []
    const options: Partial<SubscribeOptions> = {
      signal: abort.signal,
      onChange: ({ record_id: id }) => {
        seen.push(id)
        abort.abort()
      },
    }
    const { error, log } = await subscribed([{ text: ready(0) + change(1) + change(2), after: 'stay' }], options)
    assert.deepEqual([error, seen, log], [undefined, [1], ['open -', 'on']])
    const late = await subscribed([{ text: ready(0) }], options)
    assert.deepEqual([late.error, late.log], [undefined, []])
  })
})
