import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deliveriesOf, delivering, makeTag } from './delivering.ts'

/** Longer than the grace period of attempts in flight when an application is replaced. */
const GRACE_MS = 2000
const HOUR = 3_600_000

/** Responses that a receiver holds back until they are released. */
function holding(status: number) {
  const held: (() => void)[] = []
  return {
    answer: (response: { writeHead(status: number): { end(): unknown } }) => held.push(() => response.writeHead(status).end()),
    release: () => {
      for (const answer of held.splice(0)) answer()
    },
  }
}

describe('an application that is replaced while an attempt is in flight', () => {
  for (const [status, result] of [
    [200, 'delivered'],
    [500, 'pending'],
  ] as const) {
    test(`waits for it: the next one has its result (${result}), and nothing is sent twice`, () => {
      const { answer, release } = holding(status)
      return delivering([answer, 200], async ({ app, receiver, id }) => {
        await makeTag(app)
        await receiver.arrived(1)
        const replaced = app.live.replace({})
        release()
        await replaced
        const worker = await app.app.webhooks.startDelivery()
        await worker.idle()
        assert.equal(receiver.received.length, 1, 'it was sent again')
        assert.equal((await deliveriesOf(app, id))[0]?.status, result)
        app.advance(HOUR)
        await worker.idle()
        assert.equal(receiver.received.length, status === 200 ? 1 : 2)
        assert.equal(await app.app.webhooks.depth(), 0)
      })
    })
  }

  test('aborts it after the grace period, and the next one sends the message again under its id', () =>
    delivering([() => {}, 200], async ({ app, receiver }) => {
      await makeTag(app)
      await receiver.arrived(1)
      const former = app.app
      const replaced = app.live.replace({})
      while (app.time.waits()[0] !== GRACE_MS) await new Promise((resolve) => setImmediate(resolve))
      app.advance(GRACE_MS)
      await replaced
      assert.notEqual(app.app, former)
      const worker = await app.app.webhooks.startDelivery()
      await worker.idle()
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
      assert.equal(await app.app.webhooks.depth(), 0)
    }))
})
