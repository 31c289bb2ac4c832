import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DrainOptions, drain } from '../../../src/cli/commands/webhooks-drain.ts'
import { AdminError } from '../../../src/client/admin-error.ts'
import { type QueryEntries, withQuery } from '../../../src/client/query.ts'
import { startReceiver } from '../../helpers/api/receiver.ts'
import { withProject } from '../../helpers/cli/cli-project.ts'

const START = Date.parse('2026-01-15T12:00:00.000Z')

type Reply = { data: readonly object[]; total: number } | AdminError

const page = (...data: readonly object[]): Reply => ({ data, total: data.length })
const webhook = (pending: number, disabled_by: string | null = null) => ({
  id: 1,
  active: disabled_by === null,
  disabled_by,
  pending,
})
const delivery = (id: number, values: object = {}) => ({
  id,
  webhook_id: 1,
  event: 'create',
  model: 'note',
  record_id: 7,
  attempts: [{ at: '', status: 500, ms: 1, error: null }],
  next_attempt_at: null,
  ...values,
})

/** Drains an API that answers so; gives when it was asked for what, in milliseconds since the start. */
async function drained(answer: (path: string, count: number) => Reply, options: DrainOptions = { timeout: 30 }) {
  let now = START
  const asked: [at: number, path: string][] = []
  const request = async (path: string, { query = [] }: { query?: QueryEntries } = {}) => {
    asked.push([
      now - START,
      withQuery(path, query)
        .replace(/^.webhooks/, '')
        .replace(/[?&]page_size=100/, ''),
    ])
    const reply = answer(withQuery(path, query), asked.length)
    if (reply instanceof AdminError) throw reply
    return reply
  }
  const wait = async (milliseconds: number) => {
    now += milliseconds
  }
  const failure = await drain({ request }, options, { clock: () => now, wait }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { asked, failure }
}

const isAboutDeliveries = (path: string): boolean => path.includes('deliveries')
const limited = (retryAfter: number) => new AdminError('Too many requests', { type: 'rate_limit', status: 429, retryAfter })

describe('drain', () => {
  test('polls with one request at a time and growing waits', async () => {
    const { asked, failure } = await drained((path, count) =>
      page(...(isAboutDeliveries(path) ? [] : [webhook(count < 7 ? 1 : 0)])),
    )
    assert.equal(failure, undefined)
    assert.deepEqual(asked, [
      [0, ''],
      [500, ''],
      [1500, ''],
      [3500, '/deliveries?status=pending'],
      [5500, ''],
      [7500, ''],
      [9500, ''],
      [9500, '/deliveries?status=failed&page=1'],
    ])
  })

  test('waits for Retry-After at a rate limit', async () => {
    const { asked, failure } = await drained((_, count) => (count === 1 ? limited(20) : page()))
    assert.deepEqual([failure, asked.map(([at]) => at)], [undefined, [0, 20_000, 20_000]])
  })

  test('does not wait past its timeout', async () => {
    assert.deepEqual(await drained(() => limited(31)), { asked: [[0, '']], failure: 'Too many requests' })
    const { asked, failure } = await drained((path) => page(isAboutDeliveries(path) ? delivery(3) : webhook(1)), { timeout: 3 })
    assert.match(failure ?? '', /^1 deliveries are pending\ndelivery 3 to webhook 1 \(create note 7\): 1 attempts/)
    assert.equal(asked.at(-1)?.[0], 3000)
  })

  test('ends when no attempt is due before the timeout', async () => {
    const next = delivery(3, { next_attempt_at: new Date(START + 60_000).toISOString() })
    const { asked, failure } = await drained((path) => page(isAboutDeliveries(path) ? next : webhook(1)))
    assert.match(failure ?? '', /next at 2026-01-15T12:01:00/)
    assert.equal(asked.at(-1)?.[0], 3500)
  })

  test('goes on when a later page may have a delivery that is due', async () => {
    const next = delivery(3, { next_attempt_at: new Date(START + 60_000).toISOString() })
    const first = { data: [next], total: 101 }
    const { asked, failure } = await drained((path, count) => {
      if (path.includes('status=pending')) return first
      return page(...(isAboutDeliveries(path) ? [] : [webhook(count < 5 ? 101 : 0)]))
    })
    assert.deepEqual([failure?.split('\n')[0], asked.at(3)?.[1], asked.at(4)?.[1]], [undefined, '/deliveries?status=pending', ''])
  })

  test('fails with failed deliveries except test events, unless they are ignored', async () => {
    const test = delivery(9, { event: 'test', model: 'webhook', record_id: null })
    const answer = (path: string) => (isAboutDeliveries(path) ? page(test, delivery(8)) : page(webhook(0)))
    const words = 'delivery 8 to webhook 1 (create note 7): 1 attempts, the last: status 500; failed: admin webhooks redeliver 8'
    assert.equal((await drained(answer)).failure, words)
    assert.equal((await drained(answer, { timeout: 30, ignoreFailed: true })).failure, undefined)
    assert.equal((await drained((path) => (isAboutDeliveries(path) ? page(test) : page()))).failure, undefined)
    const full = Array.from({ length: 100 }, () => test)
    const onSecondPage = (path: string) =>
      page(...(!isAboutDeliveries(path) ? [] : path.endsWith('page=1') ? full : [delivery(8)]))
    assert.equal((await drained(onSecondPage)).failure, words)
  })

  test('fails with deliveries pending for a receiver that was disabled because it failed', async () => {
    for (const reason of ['gone', 'failing']) {
      const { failure = '' } = await drained((path) => page(...(isAboutDeliveries(path) ? [] : [webhook(4, reason)])))
      assert.match(failure, new RegExp(`^4 deliveries are pending for webhook 1, which is disabled \\(${reason}\\); fix `))
    }
    for (const given of [webhook(4, 'hand'), webhook(4, 'settings'), webhook(0, 'gone')]) {
      const { failure } = await drained((path) => page(...(isAboutDeliveries(path) ? [] : [given])))
      assert.equal(failure, undefined, JSON.stringify(given))
    }
  })

  test('of a receiver that is gone says so', () =>
    withProject(async (_, admin) => {
      const receiver = await startReceiver(410)
      await admin('webhooks', 'add', receiver.url)
      await admin('users', 'add', 'ann', '--email', 'ann@example.com', '--password-stdin')
      const { code, stderr } = await admin('webhooks', 'drain')
      assert.equal(code, 1)
      assert.match(stderr, /^error delivery 1 to webhook 1 \(create user 2\): 1 attempts, the last: status 410; failed/m)
      assert.equal((await admin('webhooks', 'drain', '--ignore-failed')).code, 0)
      await receiver.close()
    }))
})
