import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DELIVERIES, EVENTS } from '../../src/webhooks/models.ts'
import { prune } from '../../src/webhooks/pruning.ts'
import type { TestApp } from '../helpers/api/app.ts'
import { startReceiver } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'
import { deliveriesOf, delivering, makeTag, subscribe, WEBHOOKS } from './delivering.ts'

const MINUTE = 60_000
const KEEP = { deliveries: 10_000, days: 30 }

const pruned = ({ app: { store, records }, time: { clock } }: TestApp) => prune({ store, records, clock }, KEEP)

const eventsOf = async (app: TestApp): Promise<number> =>
  (await app.app.store.find(EVENTS, { filters: [], sort: [], offset: 0, limit: 1 })).total

/** The largest number of records that one transaction changed. */
async function largestTransaction({ app: { store } }: TestApp, work: () => Promise<unknown>): Promise<number> {
  const { transact } = store
  let largest = 0
  store.transact = async (...asked) => {
    const outcome = await transact.apply(store, asked)
    if (outcome.ok) largest = Math.max(largest, outcome.changes.length)
    return outcome
  }
  await work()
  store.transact = transact
  return largest
}

describe('removing a webhook', () => {
  test('removes it from its events and deletes its deliveries, in batches', () =>
    delivering([200], async ({ app, worker, receiver, id }) => {
      const make = async (first: number) => {
        const records = Array.from({ length: 500 }, (_, index) => ({ name: `T ${first + index}`, slug: `t-${first + index}` }))
        await play(app, { request: 'POST /api/v1/models/tag/bulk', body: { records }, status: 201 })
        await worker.idle()
      }
      await make(1000)
      assert.equal(receiver.received.length, 500)
      await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active: false }, status: 200 })
      const paused = await subscribe(app, { url: receiver.url, models: ['tag'], active: true })
      await app.app.webhooks.stop()
      await make(2000)
      for (const webhook of [id, paused.id]) {
        const largest = await largestTransaction(app, () => play(app, { request: `DELETE ${WEBHOOKS}/${webhook}`, status: 200 }))
        assert.ok(largest > 0 && largest <= 100, `${largest} records were changed at once`)
      }
      assert.equal(await app.app.webhooks.depth(), 0)
      app.advance(MINUTE + 1)
      await pruned(app)
      assert.equal(await eventsOf(app), 0)
    }))

  test('starts once: from then on the webhook is not visible', () =>
    delivering([500], async ({ app, worker, id }) => {
      await makeTag(app)
      await worker.idle()
      const [delivery] = await deliveriesOf(app, id)
      const { records } = app.app
      const { commitInternal: keep } = records
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const reached = new Promise<void>((resolve) => {
        records.commitInternal = async (...asked) => {
          records.commitInternal = keep
          resolve()
          await released
          return keep.apply(records, asked)
        }
      })
      const removed = play(app, { request: `DELETE ${WEBHOOKS}/${id}`, status: 200 })
      const gone = { status: 404, expectPart: { details: `Webhook with ID ${id} does not exist` } } as const
      await reached
      try {
        for (const method of ['DELETE', 'GET'] as const) await play(app, { request: `${method} ${WEBHOOKS}/${id}`, ...gone })
        await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active: true }, ...gone })
        await play(app, { request: `POST ${WEBHOOKS}/${id}/test`, ...gone })
        await play(app, { request: `POST ${WEBHOOKS}/deliveries/${delivery?.id}/redeliver`, status: 404 })
        await play(app, { request: `GET ${WEBHOOKS}`, status: 200, expectPart: { total: 0 } })
        await makeTag(app)
      } finally {
        release()
      }
      await removed
      assert.equal(await eventsOf(app), 1, 'an event was stored for it meanwhile')
      await play(app, { request: `DELETE ${WEBHOOKS}/${id}`, ...gone })
    }))

  test('that fails leaves it disabled', () =>
    delivering([200], async ({ app, id }) => {
      const { remove } = app.app.records
      app.app.records.remove = async () => {
        throw new Error('the disk is full')
      }
      await play(app, { request: `DELETE ${WEBHOOKS}/${id}`, status: 500 })
      app.app.records.remove = remove
      await play(app, {
        request: `GET ${WEBHOOKS}/${id}`,
        status: 200,
        expectPart: { data: { active: false, disabled_by: 'hand' } },
      })
      await play(app, { request: `DELETE ${WEBHOOKS}/${id}`, status: 200 })
    }))

  test('keeps the deliveries and pending events of other webhooks', () =>
    delivering([200], async ({ app, worker, id }) => {
      const failing = await startReceiver(500)
      const other = await subscribe(app, { url: failing.url })
      await makeTag(app)
      await worker.idle()
      await play(app, { request: `DELETE ${WEBHOOKS}/${id}`, status: 200 })
      app.advance(MINUTE + 1)
      await pruned(app)
      assert.equal(await eventsOf(app), 1)
      assert.equal((await deliveriesOf(app, other.id)).length, 1)
      assert.equal(await app.app.webhooks.depth(), 1)
      await worker.idle()
      await failing.close()
    }))
})

describe('pruning', () => {
  test('keeps the event of a test in flight', () => {
    const held: (() => void)[] = []
    return delivering([(response) => held.push(() => response.writeHead(200).end())], async ({ app, receiver, id }) => {
      const tested = play(app, { request: `POST ${WEBHOOKS}/${id}/test`, status: 200 })
      await receiver.arrived(1)
      app.advance(MINUTE)
      await pruned(app)
      assert.equal(await eventsOf(app), 1)
      for (const answer of held) answer()
      assert.equal((await tested).json.data.status, 'delivered')
    })
  })
})

describe('a redelivery answers 404', () => {
  const removed = (app: TestApp, id: number) => play(app, { request: `DELETE ${WEBHOOKS}/${id}`, status: 200 })
  const prunedAll = ({ app: { store, records }, time: { clock } }: TestApp) =>
    prune({ store, records, clock }, { ...KEEP, deliveries: 0 })
  const rows = [
    ['its webhook is removed after the delivery was read', DELIVERIES, removed],
    ['its webhook is removed after the event was read', EVENTS, removed],
    ['it is pruned after the delivery was read', DELIVERIES, prunedAll],
    ['it is pruned after the event was read', EVENTS, prunedAll],
  ] as const
  for (const [when, table, goes] of rows) {
    test(`when ${when}`, () =>
      delivering([200], async ({ app, worker, receiver, id }) => {
        await makeTag(app)
        await worker.idle()
        const [delivery] = await deliveriesOf(app, id)
        const { store } = app.app
        const { get } = store
        store.get = async (...asked) => {
          const found = await get.apply(store, asked)
          if (asked[0] === table) {
            store.get = get
            await goes(app, id)
          }
          return found
        }
        await play(app, {
          request: `POST ${WEBHOOKS}/deliveries/${delivery?.id}/redeliver`,
          status: 404,
          expectPart: { details: `Delivery with ID ${delivery?.id} does not exist` },
        })
        await worker.idle()
        assert.equal(receiver.received.length, 1)
      }))
  }
})
