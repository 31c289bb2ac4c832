import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'
import { repetitions } from '../helpers/counts.ts'
import { delivering, makeTag, subscribe, WEBHOOKS } from './delivering.ts'

const EVENTS = repetitions(3000, 10_000)
const BATCH = 1000

test(`${EVENTS} events to a live receiver: each delivered once and logged, in few writes`, { timeout: 120_000 }, () =>
  delivering(
    [200],
    async ({ app, receiver, worker, id }) => {
      for (let first = 0; first < EVENTS; first += BATCH) {
        const records = Array.from({ length: BATCH }, (_, index) => ({ title: `Note ${first + index}` }))
        await play(app, { request: 'POST /api/v1/models/note/bulk', as: 'root', body: { records }, status: 201 })
      }
      const { commitInternal: keep } = app.app.records
      let writes = 0
      app.app.records.commitInternal = (operations) => {
        writes++
        return keep.call(app.app.records, operations)
      }
      while ((await app.app.webhooks.depth()) > 0) await worker.idle()
      assert.equal(receiver.received.length, EVENTS)
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, EVENTS)
      const received = new Set(receiver.received.map(({ body }) => JSON.parse(body).data.id))
      assert.equal(received.size, EVENTS)
      const log = { request: `GET ${WEBHOOKS}/${id}/deliveries?status=delivered`, as: 'root', status: 200 } as const
      await play(app, { ...log, expectPart: { total: EVENTS } })
      assert.ok(writes < EVENTS / 4, `${writes} writes for ${EVENTS} events`)
    },
    {
      as: 'root',
      files: {
        'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string, required: true }\n',
        'seed/user.yaml': '- { username: root, email: root@example.com, password: a-long-password, is_superuser: true }\n',
      },
    },
  ),
)

test('a dead receiver delays no other, and its backoff grows', () =>
  delivering([() => {}], async ({ app, receiver: silent }) => {
    const failing = await startReceiver(500)
    const live = await startReceiver(200)
    await subscribe(app, { url: failing.url })
    await subscribe(app, { url: live.url })
    for (let count = 0; count < 40; count++) await makeTag(app)
    await live.arrived(40)
    assert.ok(silent.received.length <= 8, `the silent receiver has ${silent.received.length} requests at once`)
    assert.ok(failing.received.length <= 10, `the failing receiver was tried ${failing.received.length} times`)
    // The backoff is one second, then two, then four, and at most five.
    const tried = failing.received.length
    app.advance(900)
    await live.close()
    assert.equal(failing.received.length, tried, 'there was no backoff')
    await failing.close()
    // Attempts in flight have two seconds to finish; after that they are still pending.
    let depth = await app.app.webhooks.depth()
    for (; depth > 80; depth = await app.app.webhooks.depth()) await new Promise(setImmediate)
    const stopped = app.app.webhooks.stop()
    app.advance(2000)
    await stopped
    assert.equal(await app.app.webhooks.depth(), depth)
  }))
