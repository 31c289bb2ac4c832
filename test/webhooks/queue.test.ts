import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Operation, StoredRecord } from '../../src/store/store.ts'
import { DELIVERIES, EVENTS } from '../../src/webhooks/models.ts'
import { prune } from '../../src/webhooks/pruning.ts'
import { startReceiver } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'
import { deliveriesOf, delivering, makeTag, subscribe, WEBHOOKS } from './delivering.ts'

const HOUR = 3_600_000

/** Runs the pending microtasks and immediates. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the queue', () => {
  test('has what was stored without a hint, as by another process, after 250 ms', () =>
    delivering([200], async ({ app, receiver, id }) => {
      const event = { event: 'create', model: 'tag', record_id: 1, data: '{"id":1}', timestamp: '2026-01-15T12:00:00.000Z' }
      await app.app.store.transact([
        { kind: 'insert', table: EVENTS, values: { ...event, message_id: 'msg_other', pending: [id] } },
      ])
      for (let count = 0; count < 20; count++) await settle()
      assert.equal(receiver.received.length, 0)
      app.advance(250)
      await receiver.arrived(1)
      assert.equal(receiver.received[0]?.headers['webhook-id'], 'msg_other')
    }))

  test('has a retry in time while others get hints', () =>
    delivering(
      [500, 200],
      async ({ app, receiver, worker }) => {
        await using other = await startReceiver(200)
        await subscribe(app, { url: other.url, models: ['category'] })
        await makeTag(app)
        await worker.idle()
        assert.equal(receiver.received.length, 1)
        for (let index = 0; index < 40 && receiver.received.length < 2; index++) {
          app.advance(200)
          const data = { name: `Category ${index}`, slug: `category-${index}` }
          await play(app, { request: 'POST /api/v1/models/category', body: { data }, status: 201 })
          await other.arrived(index + 1)
          for (let count = 0; count < 20; count++) await settle()
        }
        assert.equal(receiver.received.length, 2, 'there was no retry within 8 s')
      },
      { subscription: { models: ['tag'] } },
    ))

  test('while results cannot be stored, few attempts start; afterwards everything is delivered once more at most', () =>
    delivering([200], async ({ app, receiver, worker, pass }) => {
      const { records } = app.app
      const { commitInternal: keep } = records
      records.commitInternal = async () => {
        throw new Error('the disk is full')
      }
      const tags = Array.from({ length: 200 }, (_, index) => ({ name: `Full ${index}`, slug: `full-${index}` }))
      await play(app, { request: 'POST /api/v1/models/tag/bulk', body: { records: tags }, status: 201 })
      for (let seconds = 0; seconds < 5; seconds++) await pass(1000)
      assert.equal(receiver.received.length, 64)
      assert.equal(await app.app.webhooks.depth(), 200)
      records.commitInternal = keep
      for (let seconds = 0; (await app.app.webhooks.depth()) > 0; seconds++) {
        assert.ok(seconds < 60, 'the results are not stored')
        await pass(1000)
        await settle()
      }
      await worker.idle()
      assert.equal(receiver.received.length, 200, 'a message was sent again')
    }))

  test('a delivery that is made pending again while the log is pruned is kept', () =>
    delivering([200], async ({ app, receiver, worker, id }) => {
      await makeTag(app)
      await worker.idle()
      const [delivery] = await deliveriesOf(app, id)
      const { store, records } = app.app
      const { commitInternal: keep } = records
      records.commitInternal = async (...asked) => {
        records.commitInternal = keep
        await play(app, { request: `POST ${WEBHOOKS}/deliveries/${delivery?.id}/redeliver`, status: 202 })
        return keep.apply(records, asked)
      }
      await prune({ store, records, clock: app.time.clock }, { deliveries: 0, days: 30 })
      await worker.idle()
      assert.equal(receiver.received.length, 2)
      assert.equal((await deliveriesOf(app, id))[0]?.status, 'delivered')
    }))
})

describe('deliveries of an earlier version', () => {
  /** Makes deliveries what the earlier version stored: the event names the receiver as long as it is pending. */
  async function age(app: Parameters<typeof makeTag>[0], changed: (delivery: StoredRecord) => object): Promise<void> {
    const all = { filters: [], sort: [], offset: 0, limit: 1000 }
    const { records: deliveries } = await app.app.store.find(DELIVERIES, all)
    const operations = deliveries.flatMap((delivery): Operation[] => {
      const pending = [Number(delivery.subscription_id)]
      const values = { model: null, record_id: null, ...changed(delivery) }
      return [
        { kind: 'update', table: EVENTS, id: Number(delivery.event_id), values: { pending } },
        { kind: 'update', table: DELIVERIES, id: delivery.id, values },
      ]
    })
    assert.ok((await app.app.store.transact(operations)).ok)
  }

  test('that wait for a retry are counted once, and delivered when due, in the order of their record', () =>
    delivering([500, 200], async ({ app, receiver, worker }) => {
      const tag = await makeTag(app)
      await worker.idle()
      await app.app.webhooks.stop()
      await age(app, () => ({}))
      await play(app, { request: `PUT /api/v1/models/tag/${tag}`, body: { data: { name: 'Later' } }, status: 200 })
      assert.equal(await app.app.webhooks.depth(), 2)
      const again = await app.reopen()
      const next = await again.app.webhooks.startDelivery()
      assert.equal(await again.app.webhooks.depth(), 2)
      await next.idle()
      assert.equal(receiver.received.length, 1, 'it was retried too soon, or overtaken')
      again.advance(HOUR)
      await next.idle()
      assert.equal(receiver.received.length, 3)
      assert.equal(JSON.parse(receiver.received[2]?.body ?? '').data.name, 'Later')
      assert.equal(receiver.received[1]?.headers['webhook-id'], receiver.received[0]?.headers['webhook-id'])
      assert.equal(await again.app.webhooks.depth(), 0)
      await again.close()
    }))

  test('that were to be sent again, and those never attempted, are delivered, to each receiver', () =>
    delivering([200], async ({ app, receiver, worker, id }) => {
      const other = await startReceiver(200)
      await makeTag(app)
      await worker.idle()
      await app.app.webhooks.stop()
      await age(app, () => ({ status: 'pending', tries: 0, next_attempt_at: null }))
      const { id: second } = await subscribe(app, { url: other.url })
      const { records: events } = await app.app.store.find(EVENTS, { filters: [], sort: [], offset: 0, limit: 1 })
      const values = { pending: [id, second] }
      assert.ok((await app.app.store.transact([{ kind: 'update', table: EVENTS, id: events[0]?.id ?? 0, values }])).ok)
      await makeTag(app)
      const again = await app.reopen()
      await (await again.app.webhooks.startDelivery()).idle()
      assert.deepEqual([receiver.received.length, other.received.length], [3, 2])
      assert.equal(await again.app.webhooks.depth(), 0)
      assert.equal((await deliveriesOf(again, id)).length, 2)
      await again.close()
      await other.close()
    }))

  test('that are settled stay as they are', () =>
    delivering([200], async ({ app, receiver, worker, id }) => {
      await makeTag(app)
      await worker.idle()
      const [event] = (await app.app.store.find(EVENTS, { filters: [], sort: [], offset: 0, limit: 1 })).records
      await age(app, () => ({}))
      await app.app.store.transact([{ kind: 'update', table: EVENTS, id: event?.id ?? 0, values: { pending: [] } }])
      const again = await app.reopen()
      await (await again.app.webhooks.startDelivery()).idle()
      assert.equal(receiver.received.length, 1)
      assert.equal((await deliveriesOf(again, id))[0]?.status, 'delivered')
      await again.close()
    }))
})
