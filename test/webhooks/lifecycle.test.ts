import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { DELIVERIES } from '../../src/webhooks/models.ts'
import { prune } from '../../src/webhooks/pruning.ts'
import { openTestApp } from '../helpers/api/app.ts'
import { startReceiver } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { assertSigned, deliveriesOf, delivering, makeTag, readingEvents, subscribe, WEBHOOKS } from './delivering.ts'

const HOUR = 3_600_000

const nextTurn = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value))

describe('rotation', () => {
  test('both secrets are valid for a day, then only the new one', () =>
    delivering([200], async ({ app, receiver, worker, id, secret, pass }) => {
      const { json } = await play(app, { request: `POST ${WEBHOOKS}/${id}/rotate`, status: 200 })
      const next: string = json.data.secret
      await makeTag(app)
      await worker.idle()
      await pass(24 * HOUR)
      await makeTag(app)
      await worker.idle()
      const [during, after] = receiver.received
      assert.ok(during !== undefined && after !== undefined, 'not both messages were delivered')
      await assertSigned(during, next)
      await assertSigned(after, next)
      const goodFor = ({ headers, body }: typeof during) => {
        const at = new Date(Number(headers['webhook-timestamp']) * 1000)
        return headers['webhook-signature']?.includes(new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body))
      }
      assert.deepEqual([goodFor(during), goodFor(after)], [true, false])
    }))
})

describe('restarts and pauses', () => {
  test('pending events are delivered by the next run, with the same id and number of attempts', () =>
    delivering([500], async ({ app, receiver, worker, id }) => {
      await makeTag(app)
      await worker.idle()
      const again = await app.reopen()
      const next = await again.app.webhooks.startDelivery()
      await next.idle()
      assert.equal(receiver.received.length, 1, 'it was retried too soon')
      again.advance(6000)
      await next.idle()
      assert.equal(receiver.received.length, 2)
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
      const [delivery] = await deliveriesOf(again, id)
      assert.equal(((delivery?.attempts ?? []) as unknown[]).length, 2)
      await again.close()
    }))

  test('events committed without a worker are delivered later', async () => {
    await using receiver = await startReceiver(200)
    await using app = await openTestApp()
    await subscribe(app, { url: receiver.url })
    await makeTag(app)
    await makeTag(app)
    assert.equal(await app.app.webhooks.depth(), 2)
    const worker = await app.app.webhooks.startDelivery()
    await worker.idle()
    assert.equal(receiver.received.length, 2)
    assert.equal(await app.app.webhooks.depth(), 0)
  })

  for (const [name, isPruning] of [
    ['adoption of earlier deliveries', false],
    ['first pruning', true],
  ] as const) {
    test(`a stop during the ${name} leaves no timer behind`, async () => {
      const app = await openTestApp()
      const { store, webhooks } = app.app
      const find = store.find.bind(store)
      let proceed = () => {}
      const mayProceed = new Promise<void>((resolve) => {
        proceed = resolve
      })
      const begun = new Promise<void>((begin) => {
        store.find = async (table, plan, options) => {
          if (table === DELIVERIES && (plan.filters.length === 0) === isPruning) {
            begin()
            await mayProceed
          }
          return find(table, plan, options)
        }
      })
      const started = webhooks.startDelivery()
      await begun
      const stopped = webhooks.stop()
      proceed()
      await Promise.all([started, stopped])
      assert.deepEqual(app.time.waits(), [])
      await app.close()
    })
  }

  test('stopping waits for attempts in flight to a webhook that was disabled meanwhile, and aborts them', () =>
    delivering([() => {}], async ({ app, receiver, id }) => {
      await makeTag(app)
      await once(receiver.server, 'request')
      await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active: false }, status: 200 })
      const stopped = app.app.webhooks.stop()
      assert.equal(await Promise.race([stopped.then(() => 'stopped'), nextTurn('waiting')]), 'waiting')
      app.advance(2000)
      await stopped
      assert.equal(await app.app.webhooks.depth(), 1)
    }))

  test('removing one webhook resends nothing to another', () =>
    delivering([500, 200], async ({ app, receiver, worker }) => {
      await using other = await startReceiver(500)
      const { json } = await play(app, { request: `POST ${WEBHOOKS}`, body: { url: other.url }, status: 201 })
      await makeTag(app)
      await worker.idle()
      assert.deepEqual([receiver.received.length, other.received.length], [1, 1])
      await play(app, { request: `DELETE ${WEBHOOKS}/${json.data.id}`, status: 200 })
      await worker.idle()
      assert.equal(receiver.received.length, 1, 'it was retried too soon')
    }))

  test('events of a disabled webhook stay pending until it is enabled', () =>
    delivering([500, 200], async ({ app, receiver, worker, id, pass }) => {
      await makeTag(app)
      await worker.idle()
      await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active: false }, status: 200 })
      await pass(HOUR)
      assert.equal(receiver.received.length, 1)
      await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active: true }, status: 200 })
      await worker.idle()
      assert.equal(receiver.received.length, 2)
    }))

  test('disabling and enabling resends no message in flight', () => {
    const held: (() => void)[] = []
    return delivering([(response) => held.push(() => response.writeHead(200).end())], async ({ app, receiver, worker, id }) => {
      await makeTag(app)
      await receiver.arrived(1)
      for (const active of [false, true]) await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active }, status: 200 })
      await makeTag(app)
      await receiver.arrived(2)
      for (const answer of held) answer()
      await worker.idle()
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 2, 'one was sent again')
      assert.equal(receiver.received.length, 2)
      assert.equal(await app.app.webhooks.depth(), 0)
    })
  })

  test('an attempt that fails while its webhook is disabled is retried when due, once it is enabled', () => {
    const held: (() => void)[] = []
    const holding = (response: ServerResponse) => held.push(() => response.writeHead(500).end())
    return delivering([holding, 200], async ({ app, receiver, worker, id, pass }) => {
      const set = (active: boolean) => play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active }, status: 200 })
      await makeTag(app)
      await receiver.arrived(1)
      await set(false)
      for (const answer of held) answer()
      await worker.idle()
      await pass(1000)
      await set(true)
      await worker.idle()
      assert.equal(receiver.received.length, 1, 'it was retried too soon')
      await pass(6000)
      assert.equal(receiver.received.length, 2)
      assert.equal(await app.app.webhooks.depth(), 0)
    })
  })

  test('a webhook that is disabled and enabled while a retry waits is retried once, when due', () =>
    delivering([500, 200], async ({ app, receiver, worker, id, pass }) => {
      await makeTag(app)
      await worker.idle()
      for (const active of [false, true, false, true]) {
        await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active }, status: 200 })
      }
      await pass(3900)
      assert.equal(receiver.received.length, 1, 'it was retried too soon')
      await pass(HOUR)
      assert.equal(receiver.received.length, 2)
    }))

  test('removing a webhook removes its pending deliveries', () =>
    delivering([500], async ({ app, receiver, worker, id, pass }) => {
      await makeTag(app)
      await worker.idle()
      await play(app, { request: `DELETE ${WEBHOOKS}/${id}`, status: 200 })
      await pass(HOUR)
      assert.equal(receiver.received.length, 1)
      assert.equal(await app.app.webhooks.depth(), 0)
    }))

  test('redelivery sends a delivered message again under its id', () =>
    delivering([200], async ({ app, receiver, worker, id }) => {
      await makeTag(app)
      await worker.idle()
      const [delivery] = await deliveriesOf(app, id)
      const { json } = await play(app, { request: `POST ${WEBHOOKS}/deliveries/${delivery?.id}/redeliver`, status: 202 })
      assert.equal(json.data.status, 'pending')
      await worker.idle()
      const [first, second] = receiver.received
      assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
      assert.equal((await deliveriesOf(app, id))[0]?.status, 'delivered')
      assert.equal((await deliveriesOf(app, id)).length, 1)
    }))
})

test('a webhook with a new URL does not honour the Retry-After of the old one', () => {
  const busy = (response: ServerResponse) => response.writeHead(503, { 'retry-after': '3600' }).end()
  return delivering([busy, 200], async ({ app, receiver, worker, id }) => {
    await makeTag(app)
    await worker.idle()
    await makeTag(app)
    await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { url: `${receiver.url}/other` }, status: 200 })
    await worker.idle()
    assert.deepEqual(valuesOf(receiver.received, 'path'), ['/hook', '/hook/other'])
  })
})

test('a redelivery before the first result is stored stays pending until it is delivered again', () =>
  delivering([500, 200, 500], async ({ app, receiver, worker, id }) => {
    await makeTag(app)
    await worker.idle()
    app.advance(6000)
    while (!app.logged.some((line) => line.includes('"result":"delivered"'))) await nextTurn(undefined)
    const [delivery] = await deliveriesOf(app, id)
    await play(app, { request: `POST ${WEBHOOKS}/deliveries/${delivery?.id}/redeliver`, status: 202 })
    await worker.idle()
    assert.equal(receiver.received.length, 3)
    assert.equal((await deliveriesOf(app, id))[0]?.status, 'pending')
    assert.equal(await app.app.webhooks.depth(), 1)
  }))

describe('subscriptions in the settings', () => {
  test('are created, changed and removed by the settings only', async () => {
    const url = 'http://127.0.0.1:9/hook'
    const secret = 'sixteen letters!'
    const settings = { webhooks: { subscriptions: [{ url, events: ['create' as const], secret }] } }
    const app = await openTestApp({ settings })
    await play(app, {
      request: `GET ${WEBHOOKS}/1`,
      status: 200,
      expectPart: { data: { url, events: ['create'], from_settings: true } },
    })
    await play(app, { request: `DELETE ${WEBHOOKS}/1`, status: 400 })
    await play(app, { request: `PUT ${WEBHOOKS}/1`, body: { events: ['delete'] }, status: 400 })
    await subscribe(app, { url })
    await app.app.webhooks.subscriptions.reconcile([{ url, models: ['tag'], active: false }, { url: `${url}/2` }])
    const after = (await play(app, { request: `GET ${WEBHOOKS}`, status: 200 })).json.data
    assert.deepEqual(
      after.map(({ id, active, models, events }: Record<string, unknown>) => [id, active, models, (events as string[]).length]),
      [
        [1, false, ['tag'], 3],
        [2, true, [], 3],
        [3, true, [], 3],
      ],
    )
    await app.app.webhooks.subscriptions.reconcile([{ url }])
    await play(app, { request: `GET ${WEBHOOKS}/1`, status: 200, expectPart: { data: { active: true, disabled_by: null } } })
    await play(app, { request: `GET ${WEBHOOKS}/3`, status: 404 })
    await app.close()
  })

  test('a configured secret cannot be rotated, since the next start would undo it; another can', async () => {
    const [url, secret] = ['http://127.0.0.1:9/hook', 'sixteen letters!']
    const settings = { webhooks: { subscriptions: [{ url, secret }, { url: `${url}/2` }] } }
    let app = await openTestApp({ settings })
    const rotated = async (id: number, status: number) =>
      (await play(app, { request: `POST ${WEBHOOKS}/${id}/rotate`, status })).json
    const refusal = { detail: { error: 'The secret of webhook 1 is set in the settings of the project; change it there' } }
    assert.deepEqual(await rotated(1, 400), refusal)
    const { secret: made } = (await rotated(2, 200)).data
    app = await app.reopen()
    assert.deepEqual(await rotated(1, 400), refusal)
    const secretOf = (id: number) => app.app.webhooks.subscriptions.receiver(id)?.secrets[0]
    assert.deepEqual([secretOf(1), secretOf(2)], [secret, made])
    await app.close()
  })
})

describe('the delivery log', () => {
  test('keeps the latest deliveries up to its limits of number and age', () =>
    delivering(
      [200],
      async ({ app, worker, id, pass }) => {
        for (let count = 0; count < 6; count++) await makeTag(app)
        await worker.idle()
        const { store, records } = app.app
        const parts = { store, records, clock: app.time.clock }
        await prune(parts, { deliveries: 4, days: 2 })
        assert.deepEqual(valuesOf(await deliveriesOf(app, id), 'id'), [6, 5, 4, 3])
        await pass(HOUR)
        await makeTag(app)
        await pass(48 * HOUR - 1)
        await prune(parts, { deliveries: 100, days: 2 })
        assert.deepEqual(valuesOf(await deliveriesOf(app, id), 'id'), [7])
      },
      { subscription: { models: ['tag'] } },
    ))

  test('is pruned without reading the events that were never attempted', () =>
    delivering([200], async ({ app, worker, id }) => {
      await makeTag(app)
      await worker.idle()
      await play(app, { request: `PUT ${WEBHOOKS}/${id}`, body: { active: false }, status: 200 })
      const other = await subscribe(app, { url: 'http://127.0.0.1:9/hook' })
      await app.app.webhooks.stop()
      for (let count = 0; count < 3; count++) await makeTag(app)
      assert.ok((await play(app, { request: `GET ${WEBHOOKS}/${other.id}`, status: 200 })).json.data.pending > 0)
      const { store, records } = app.app
      const parts = { store, records, clock: app.time.clock }
      assert.deepEqual(await readingEvents(app, () => prune(parts, { deliveries: 0, days: 2 })), [1])
      assert.equal((await deliveriesOf(app, id)).length, 0)
    }))

  test('is paged', () =>
    delivering([200], async ({ app, worker, id }) => {
      for (let count = 0; count < 3; count++) await makeTag(app)
      await worker.idle()
      const request = `GET ${WEBHOOKS}/${id}/deliveries?page=2&page_size=2` as const
      const { json } = await play(app, { request, status: 200, expectPart: { total: 3, total_pages: 2, has_prev: true } })
      assert.deepEqual(valuesOf(json.data, 'id'), [1])
    }))

  test('no secret, URL or payload is logged', () =>
    delivering([500], async ({ app, receiver, worker, secret }) => {
      await makeTag(app)
      await worker.idle()
      const log = app.logged.join('')
      assert.match(log, /A webhook attempt failed/)
      assert.ok(!log.includes(secret) && !log.includes(receiver.url) && !log.includes('Tag number'), log)
    }))
})
