import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { FieldIssues } from '../../src/validate/issues.ts'
import { openTestApp } from '../helpers/api/app.ts'
import { type Answer, startReceiver } from '../helpers/api/receiver.ts'
import { play, send } from '../helpers/api/scenario.ts'
import { assertSigned, type Delivering, deliveriesOf, delivering, makeTag, subscribe, TAGS, WEBHOOKS } from './delivering.ts'

const DAY = 86_400_000

const busyFor =
  (seconds: number): Answer =>
  (response) =>
    response.writeHead(429, { 'retry-after': String(seconds) }).end('slow down')

/** Asserts that a receiver that sent `Retry-After` gets nothing before that time, and the waiting messages within the next second. */
async function assertLeftAlone(
  milliseconds: number,
  { receiver, pass, before, after }: Pick<Delivering, 'receiver' | 'pass'> & { readonly before: number; readonly after: number },
): Promise<void> {
  await pass(milliseconds)
  assert.equal(receiver.received.length, before, 'it was called too soon')
  await pass(1000)
  assert.equal(receiver.received.length, after)
}

describe('attempts', () => {
  test('500, 500, 200: three attempts with one id, new timestamps and valid signatures', () =>
    delivering([500, 500, 200], async ({ app, worker, receiver, id, secret, pass }) => {
      const tag = await makeTag(app)
      await worker.idle()
      assert.equal(receiver.received.length, 1)
      await pass(3900)
      assert.equal(receiver.received.length, 1, 'it was retried too soon')
      await pass(2200)
      assert.equal(receiver.received.length, 2)
      await pass(200_000)
      assert.equal(receiver.received.length, 2, 'it was retried too soon')
      await pass(200_000)
      assert.equal(receiver.received.length, 3)
      await pass(DAY)
      assert.equal(receiver.received.length, 3, 'it was delivered twice')

      const heads = receiver.received.map(({ headers }) => headers)
      assert.equal(new Set(heads.map((headers) => headers['webhook-id'])).size, 1)
      assert.equal(new Set(heads.map((headers) => headers['webhook-timestamp'])).size, 3)
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
      for (const received of receiver.received) await assertSigned(received, secret)
      const payload = JSON.parse(receiver.received[0]?.body ?? '')
      assert.deepEqual([payload.event, payload.model, payload.data.id], ['create', 'tag', tag])

      const [delivery] = await deliveriesOf(app, id)
      assert.equal(delivery?.status, 'delivered')
      assert.equal(delivery?.message_id, heads[0]?.['webhook-id'])
      assert.deepEqual(
        ((delivery?.attempts ?? []) as { status: number }[]).map(({ status }) => status),
        [500, 500, 200],
      )
    }))

  test('after the last delay of the schedule the delivery fails', () =>
    delivering(
      [500],
      async ({ app, worker, receiver, id, pass }) => {
        await makeTag(app)
        await worker.idle()
        for (const seconds of [12, 24, 1000]) await pass(seconds * 1000)
        assert.equal(receiver.received.length, 3)
        const [delivery] = await deliveriesOf(app, id)
        assert.deepEqual([delivery?.status, delivery?.next_attempt_at], ['failed', null])
        assert.equal((await play(app, { request: `GET ${WEBHOOKS}/${id}`, status: 200 })).json.data.pending, 0)
      },
      { settings: { webhooks: { retry_schedule: [10, 20] } } },
    ))

  test('429 with Retry-After: the retry is at that time, with no other attempt before', () => {
    return delivering([busyFor(120), 200], async ({ app, worker, receiver, pass }) => {
      await makeTag(app)
      await worker.idle()
      await makeTag(app)
      await assertLeftAlone(119_000, { receiver, pass, before: 1, after: 3 })
    })
  })

  test('429 with Retry-After: the success of an earlier attempt does not end the pause', () => {
    const held: (() => void)[] = []
    const slow: Answer = (response) => held.push(() => response.writeHead(200).end())
    return delivering([slow, busyFor(120), 200], async ({ app, worker, receiver, pass }) => {
      for (let count = 0; count < 2; count++) await makeTag(app)
      while (!app.logged.some((line) => line.includes('"status":429'))) await new Promise(setImmediate)
      for (const release of held) release()
      await worker.idle()
      await makeTag(app)
      await assertLeftAlone(119_000, { receiver, pass, before: 2, after: 4 })
    })
  })

  test('429 with Retry-After to the last attempt pauses the receiver, too', () => {
    return delivering(
      [busyFor(4), 200],
      async ({ app, worker, receiver, pass }) => {
        await makeTag(app)
        await worker.idle()
        await makeTag(app)
        await assertLeftAlone(4900, { receiver, pass, before: 1, after: 2 })
      },
      { settings: { webhooks: { retry_schedule: [] } } },
    )
  })

  test('410 disables the subscription and is logged', () =>
    delivering([410], async ({ app, worker, receiver, id, pass }) => {
      await makeTag(app)
      await worker.idle()
      const { json } = await play(app, { request: `GET ${WEBHOOKS}/${id}`, status: 200 })
      assert.deepEqual([json.data.active, json.data.disabled_by], [false, 'gone'])
      await makeTag(app)
      await pass(DAY)
      assert.equal(receiver.received.length, 1, 'it was called again')
      assert.equal((await deliveriesOf(app, id))[0]?.status, 'failed')
      assert.ok(
        app.logged.some((line) => line.includes('"webhook_disabled"') && line.includes('410')),
        'the log does not say so',
      )
    }))

  test('302 to another address causes no second request', async () => {
    const other = await startReceiver(200)
    const redirect: Answer = (response) => response.writeHead(302, { location: other.url }).end()
    await delivering([redirect], async ({ app, worker, receiver, id }) => {
      await makeTag(app)
      await worker.idle()
      assert.deepEqual([receiver.received.length, other.received.length], [1, 0])
      assert.equal((await deliveriesOf(app, id))[0]?.status, 'pending')
    })
    await other.close()
  })

  test('a name that resolves to a private address the second time is blocked, and the delivery log says why', () => {
    const addresses = ['127.0.0.1', '169.254.169.254']
    const resolve = async () => [{ address: addresses.shift() ?? '169.254.169.254', family: 4 }]
    const closing: Answer = (response) => response.writeHead(500, { connection: 'close' }).end()
    return delivering(
      [closing],
      async ({ app, worker, receiver, pass }) => {
        const url = receiver.url.replace('127.0.0.1', 'rebind.example')
        const { id } = await subscribe(app, { url, models: ['tag'], events: ['create'] })
        await play(app, { request: `PUT ${WEBHOOKS}/1`, body: { active: false }, status: 200 })
        await makeTag(app)
        await worker.idle()
        assert.equal(receiver.received.length, 1)
        await pass(6000)
        assert.equal(receiver.received.length, 1)
        const [delivery] = await deliveriesOf(app, id)
        const [, second] = (delivery?.attempts ?? []) as { error: string }[]
        assert.match(second?.error ?? '', /^rebind\.example leads to 169\.254\.169\.254, a linkLocal address/)
      },
      { resolve },
    )
  })
})

describe('events', () => {
  test('create, update, delete; single, bulk and by cascade; without secrets', () =>
    delivering([200], async ({ app, worker, receiver }) => {
      const body = { data: { username: 'just.arrived', email: 'just.arrived@example.com', password: 'a-long-password' } }
      const user = (await play(app, { request: 'POST /api/v1/models/user', body, status: 201 })).json.data
      const post = {
        data: {
          title: 'A quiet harbour',
          slug: 'a-quiet-harbour',
          body: 'Words enough for a post.',
          author_id: user.id,
          category_id: 1,
        },
      }
      const created = (await send(app, { request: 'POST /api/v1/models/post', body: post })).json.data
      assert.ok(created !== undefined, 'the post was refused')
      const comments = { records: [1, 2].map((number) => ({ body: `Comment ${number}`, post_id: created.id, author_id: 1 })) }
      const bulk = await send(app, { request: 'POST /api/v1/models/comment/bulk', body: comments })
      assert.equal(bulk.status, 201, bulk.text)
      await play(app, {
        request: `PUT /api/v1/models/user/${user.id}`,
        body: { data: { first_name: 'New', password: 'long-enough-too' } },
        status: 200,
      })
      await play(app, { request: `DELETE /api/v1/models/post/${created.id}`, status: 200 })
      await worker.idle()
      const received = receiver.received.map(({ body: text }) => JSON.parse(text))
      assert.deepEqual(received.map(({ event, model }) => `${event} ${model}`).sort(), [
        'create comment',
        'create comment',
        'create post',
        'create user',
        'delete comment',
        'delete comment',
        'delete post',
        'update user',
      ])
      const all = receiver.received.map(({ body: text }) => text).join()
      assert.doesNotMatch(all, /password|quick\$/)
      assert.equal(received.find(({ event, model }) => event === 'delete' && model === 'post').data.title, 'A quiet harbour')
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 8)
    }))

  test('the time of a login is not an event', () =>
    delivering([200], async ({ app, worker, receiver }) => {
      const body = { username: 'admin', password: 'harbour-admin-2024' }
      // The test application uses its own password hasher.
      await play(app, { request: 'PUT /api/v1/models/user/1', body: { data: { password: 'harbour-admin-2024' } }, status: 200 })
      await play(app, { request: 'POST /api/v1/auth/token', as: null, body, status: 200 })
      await worker.idle()
      assert.deepEqual(
        receiver.received.map(({ body: text }) => JSON.parse(text).event),
        ['update'],
      )
    }))

  test('a subscription receives only its events and models', () =>
    delivering(
      [200],
      async ({ app, worker, receiver }) => {
        const id = await makeTag(app)
        await play(app, { request: `PUT ${TAGS}/${id}`, body: { data: { name: 'Renamed' } }, status: 200 })
        await play(app, { request: 'DELETE /api/v1/models/comment/1', status: 200 })
        await play(app, { request: `DELETE ${TAGS}/${id}`, status: 200 })
        await worker.idle()
        assert.deepEqual(
          receiver.received.map(({ body }) => `${JSON.parse(body).event} ${JSON.parse(body).model}`),
          ['delete tag'],
        )
      },
      { subscription: { events: ['delete'], models: ['tag'] } },
    ))

  test('records created with their ids, as by an import, cause one event each', () =>
    delivering([200], async ({ app, worker, receiver }) => {
      const items = [501, 502].map((id) => {
        return { id, data: { name: `Loaded ${id}`, slug: `loaded-${id}` }, issues: new FieldIssues(), stamps: {} }
      })
      const read = async function* () {
        yield items
      }
      const request = { formId: undefined, key: undefined, dryRun: false, quotesCells: false }
      assert.deepEqual(await app.app.records.importAll(SYSTEM, 'tag', read, request), { created: 2, updated: 0 })
      await worker.idle()
      assert.deepEqual(receiver.received.map(({ body }) => JSON.parse(body).data.id).sort(), [501, 502])
    }))

  test('a rejected write causes no event', () =>
    delivering([200], async ({ app, worker, receiver }) => {
      await play(app, { request: `POST ${TAGS}`, body: { data: { name: 'x' } }, status: 400 })
      await play(app, { request: 'DELETE /api/v1/models/user/1', status: 409 })
      await worker.idle()
      assert.equal(receiver.received.length, 0)
    }))

  test('seeds and permission records cause no events', async () => {
    const receiver = await startReceiver(200)
    const settings = { webhooks: { subscriptions: [{ url: receiver.url }] } }
    const app = await openTestApp({ settings })
    await (await app.app.webhooks.startDelivery()).idle()
    assert.equal(receiver.received.length, 0)
    const again = await app.reopen()
    await (await again.app.webhooks.startDelivery()).idle()
    assert.equal(receiver.received.length, 0)
    await again.close()
    await receiver.close()
  })
})
