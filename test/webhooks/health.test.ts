import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HEALTHY, hasFailedTooLong, healthAfter, type ReceiverHealth } from '../../src/webhooks/health.ts'
import { TEST_START } from '../helpers/api/app.ts'
import type { Answer } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'
import { type Delivering, delivering, makeTag, WEBHOOKS } from './delivering.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('the health of a receiver after an attempt', () => {
  const after = (...attempts: readonly (readonly [at: number, succeeded: boolean])[]): ReceiverHealth =>
    attempts.reduce((health, [at, succeeded]) => healthAfter(health, { at, succeeded }, 100), HEALTHY)

  const rows: readonly (readonly [string, ReceiverHealth, Partial<ReceiverHealth>])[] = [
    ['failing starts with the first failure', after([10, false], [110, false]), { failingSince: 10, lastFailure: 110 }],
    ['a success ends failing', after([10, false], [20, true]), HEALTHY],
    ['the next failure starts it again', after([10, false], [20, true], [30, false]), { failingSince: 30 }],
    ['after a time without attempts it starts again', after([10, false], [111, false]), { failingSince: 111, lastFailure: 111 }],
    [
      'an attempt that ends late is not a time without attempts',
      after([50, false], [40, false]),
      { failingSince: 50, lastFailure: 50 },
    ],
    [
      'without a stored last failure it starts again',
      healthAfter({ ...HEALTHY, failingSince: 1 }, { at: 2, succeeded: false }, 100),
      { failingSince: 2 },
    ],
  ]
  for (const [name, health, expected] of rows) test(name, () => assert.deepEqual(health, { ...health, ...expected }))

  test('a receiver has failed too long after five days', () => {
    assert.equal(hasFailedTooLong(HEALTHY, 100 * DAY), false)
    assert.equal(hasFailedTooLong({ failingSince: 0, lastFailure: 0 }, 5 * DAY - 1), false)
    assert.equal(hasFailedTooLong({ failingSince: 0, lastFailure: 0 }, 5 * DAY), true)
  })
})

describe('a receiver that fails', () => {
  const shown = async ({ app, id }: Delivering) => (await play(app, { request: `GET ${WEBHOOKS}/${id}`, status: 200 })).json.data

  /** Advances the clock by days, with an event every twelve hours. */
  async function failFor({ app, pass }: Delivering, days: number): Promise<void> {
    for (let half = 0; half < 2 * days; half++) {
      await makeTag(app)
      await pass(12 * HOUR)
    }
  }

  test('for five days without interruption is disabled; a success in between starts them again', () => {
    let status = 500
    const answer: Answer = (response) => response.writeHead(status).end()
    return delivering([answer], async (all) => {
      const { app, pass } = all
      await failFor(all, 4)
      assert.equal((await shown(all)).failing_since, new Date(TEST_START).toISOString())
      status = 200
      await makeTag(app)
      await pass(HOUR)
      const { failing_since: since, last_failure_at: last } = await shown(all)
      assert.deepEqual([since, last], [null, null])
      status = 500
      await failFor(all, 4.5)
      assert.equal((await shown(all)).active, true)
      await failFor(all, 1)
      const { active, disabled_by: by } = await shown(all)
      assert.deepEqual([active, by], [false, 'failing'])
    })
  })

  test('once, and again after days without attempts, is not disabled', () =>
    delivering(
      [500],
      async (all) => {
        const { app, pass } = all
        await makeTag(app)
        await pass(HOUR)
        await pass(6 * DAY)
        await makeTag(app)
        await pass(1000)
        const { active, failing_since: since } = await shown(all)
        assert.deepEqual([active, since], [true, new Date(TEST_START + HOUR + 6 * DAY).toISOString()])
      },
      { settings: { webhooks: { retry_schedule: [10] } } },
    ))

  test('is not made or cured by test messages', () => {
    let status = 500
    const answer: Answer = (response) => response.writeHead(status).end()
    return delivering([answer], async (all) => {
      const { app, id, pass } = all
      for (let day = 0; day < 7; day++) {
        await play(app, { request: `POST ${WEBHOOKS}/${id}/test`, status: 200, expectPart: { data: { status: 'failed' } } })
        await pass(DAY)
      }
      assert.deepEqual([(await shown(all)).active, (await shown(all)).failing_since], [true, null])
      await makeTag(app)
      await pass(1000)
      const { failing_since: since } = await shown(all)
      assert.notEqual(since, null)
      status = 200
      await play(app, { request: `POST ${WEBHOOKS}/${id}/test`, status: 200, expectPart: { data: { status: 'delivered' } } })
      assert.equal((await shown(all)).failing_since, since)
    })
  })

  for (const status of [500, 410]) {
    test(`and was enabled by hand stays enabled when an older attempt ends with ${status}`, () => {
      const held: (() => void)[] = []
      const answer: Answer = (response) => held.push(() => response.writeHead(status).end())
      return delivering([answer], async (all) => {
        const { app, id, receiver, worker } = all
        const [since, last] = [TEST_START - 6 * DAY, TEST_START - HOUR].map((moment) => new Date(moment).toISOString())
        await app.app.webhooks.subscriptions.update(id, { failing_since: since ?? null, last_failure_at: last ?? null })
        await makeTag(app)
        await receiver.arrived(1)
        for (const active of [false, true]) await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active }, status: 200 })
        for (const release of held) release()
        await worker.idle()
        const { active, disabled_by: by } = await shown(all)
        assert.deepEqual([active, by], [true, null])
      })
    })
  }

  /** Sets the stored health to six days of failures. */
  const failedForLong = ({ app, id }: Delivering) => {
    const [failing_since = '', last_failure_at = ''] = [6 * DAY, HOUR].map((ago) => new Date(TEST_START - ago).toISOString())
    return app.app.webhooks.subscriptions.update(id, { failing_since, last_failure_at })
  }

  test('and accepted a message a moment ago is not disabled', () => {
    const held: ((status: number) => void)[] = []
    return delivering([(response) => held.push((status) => response.writeHead(status).end())], async (all) => {
      const { app, receiver, worker } = all
      await failedForLong(all)
      for (let count = 0; count < 2; count++) await makeTag(app)
      await receiver.arrived(2)
      held[0]?.(200)
      while (!app.logged.some((line) => line.includes('"result":"delivered"'))) await new Promise(setImmediate)
      held[1]?.(500)
      await worker.idle()
      const { active, failing_since: since } = await shown(all)
      assert.deepEqual([active, since], [true, new Date(TEST_START).toISOString()])
    })
  })

  test('and gets a new URL starts again, whatever the old URL answers', () => {
    const held: (() => void)[] = []
    return delivering([(response) => held.push(() => response.writeHead(410).end())], async (all) => {
      const { app, id, receiver, worker } = all
      await failedForLong(all)
      await makeTag(app)
      await receiver.arrived(1)
      const body = { url: `${receiver.url}/other` }
      const request = `PUT ${WEBHOOKS}/${id}` as const
      await play(app, { request, body, status: 200, expectPart: { data: { failing_since: null, last_failure_at: null } } })
      for (const release of held) release()
      await worker.idle()
      assert.equal((await shown(all)).active, true)
    })
  })

  test('and was enabled while its last failure was being stored does not keep the earlier failing time', () =>
    delivering([500], async (all) => {
      const { app, id, worker } = all
      const { records, webhooks } = app.app
      await webhooks.subscriptions.update(id, {
        failing_since: new Date(TEST_START - 4 * DAY).toISOString(),
        last_failure_at: new Date(TEST_START - HOUR).toISOString(),
      })
      const { commitInternal: keep } = records
      records.commitInternal = async (...asked) => {
        records.commitInternal = keep
        await webhooks.subscriptions.update(id, { failing_since: null, last_failure_at: null })
        return keep.apply(records, asked)
      }
      await makeTag(app)
      await worker.idle()
      assert.equal((await shown(all)).failing_since, new Date(TEST_START).toISOString())
    }))

  test('and cannot be disabled, since the disk is full, still receives messages', () =>
    delivering([410, 200], async (all) => {
      const { app, receiver, worker } = all
      const { records } = app.app
      const { update } = records
      records.update = async () => {
        throw new Error('the disk is full')
      }
      await makeTag(app)
      await worker.idle()
      records.update = update
      assert.equal((await shown(all)).active, true)
      await makeTag(app)
      await worker.idle()
      assert.equal(receiver.received.length, 2)
    }))
})
