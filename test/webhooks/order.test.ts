import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer, Received } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { type Delivering, deliveriesOf, delivering, makeTag, readingEvents, TAGS, WEBHOOKS } from './delivering.ts'

const HOUR = 3_600_000

interface Message {
  readonly event: string
  readonly id: number
  readonly name: string
}

const messageOf = ({ body }: Pick<Received, 'body'>): Message => {
  const { event, data } = JSON.parse(body)
  return { event, id: data.id, name: data.name }
}

/** The names that the messages of a record gave it, in the order in which they arrived. */
const namesOf = (received: readonly Received[], tag: number): string[] =>
  received.map(messageOf).flatMap(({ id, event, name }) => (id === tag ? [event === 'delete' ? 'deleted' : name] : []))

const rename = ({ app }: Delivering, tag: number, name: string) =>
  play(app, { request: `PUT ${TAGS}/${tag}`, body: { data: { name } }, status: 200 })

/** Updates of a record, and what a receiver is told of them. */
const NAMES = Array.from({ length: 5 }, (_, index) => `Name ${index + 1}`)

describe('the events of one record go to a receiver in their order', () => {
  test('one after the other, while those of other records are sent at the same time', () => {
    const held: (() => void)[] = []
    const holding: Answer = (response) => held.push(() => response.writeHead(200).end())
    return delivering([holding], async (all) => {
      const { app, worker, receiver } = all
      const [first, second] = [await makeTag(app), await makeTag(app)]
      for (const name of NAMES) for (const tag of [first, second]) await rename(all, tag, `${name} of ${tag}`)
      await play(app, { request: `DELETE ${TAGS}/${first}`, status: 200 })
      await receiver.arrived(2)
      for (let count = 0; count < 20; count++) await new Promise(setImmediate)
      assert.equal(held.length, 2, 'a later event of a record did not wait')
      let isDone = false
      const done = worker.idle().then(() => {
        isDone = true
      })
      while (!isDone) {
        for (const release of held.splice(0)) release()
        await new Promise(setImmediate)
      }
      await done
      assert.deepEqual(namesOf(receiver.received, first).slice(1), [...NAMES.map((name) => `${name} of ${first}`), 'deleted'])
      assert.deepEqual(
        namesOf(receiver.received, second).slice(1),
        NAMES.map((name) => `${name} of ${second}`),
      )
    })
  })

  /** Refuses the messages of one record. */
  const refusing = (isRefused: (message: Message) => boolean) => {
    const answer: Answer = (response) => {
      const last = current?.received.at(-1)
      response.writeHead(last !== undefined && isRefused(messageOf(last)) ? 500 : 200).end()
    }
    let current: Delivering['receiver'] | undefined
    const use = (receiver: Delivering['receiver']) => {
      current = receiver
    }
    return { answer, use }
  }

  test('they wait for one that is to be retried, also over a restart; those of other records do not', () => {
    let poisoned = 0
    let refuses = true
    const { answer, use } = refusing(({ id }) => refuses && id === poisoned)
    return delivering([answer], async (all) => {
      const { app, worker, receiver, pass } = all
      use(receiver)
      poisoned = await makeTag(app)
      await worker.idle()
      for (const name of NAMES) await rename(all, poisoned, name)
      const other = await makeTag(app)
      await rename(all, other, 'Another')
      await worker.idle()
      assert.equal(namesOf(receiver.received, poisoned).length, 1, 'a later event did not wait')
      assert.deepEqual(namesOf(receiver.received, other).slice(1), ['Another'])
      await pass(7000)
      assert.equal(namesOf(receiver.received, poisoned).length, 2)
      const again = await app.reopen()
      const next = await again.app.webhooks.startDelivery()
      await next.idle()
      assert.equal(namesOf(receiver.received, poisoned).length, 2, 'it was sent before it was due')
      refuses = false
      again.advance(HOUR)
      await next.idle()
      assert.deepEqual(namesOf(receiver.received, poisoned).slice(3), NAMES)
      assert.equal(await again.app.webhooks.depth(), 0)
      await again.close()
    })
  })

  test('when the last attempt has failed, the next event of the record is sent', () => {
    let poisoned = 0
    const { answer, use } = refusing(({ id, name }) => id === poisoned && name !== 'Good')
    return delivering(
      [answer],
      async (all) => {
        const { app, worker, receiver, id, pass } = all
        use(receiver)
        poisoned = await makeTag(app)
        await rename(all, poisoned, 'Good')
        await worker.idle()
        assert.equal(receiver.received.length, 1)
        await pass(20_000)
        assert.deepEqual(namesOf(receiver.received, poisoned).slice(2), ['Good'])
        assert.deepEqual(valuesOf(await deliveriesOf(app, id), 'status'), ['delivered', 'failed'])
      },
      { settings: { webhooks: { retry_schedule: [10] } } },
    )
  })

  test('however many events of a record wait, the events of other records are found behind them', () => {
    let poisoned = 0
    const { answer, use } = refusing(({ id }) => id === poisoned)
    return delivering([answer], async (all) => {
      const { app, worker, receiver } = all
      use(receiver)
      poisoned = await makeTag(app)
      await worker.idle()
      for (let count = 0; count < 250; count++) await rename(all, poisoned, `Name ${count}`)
      const other = await makeTag(app)
      await worker.idle()
      assert.equal(namesOf(receiver.received, other).length, 1)
      assert.equal(namesOf(receiver.received, poisoned).length, 1)
      assert.equal(await app.app.webhooks.depth(), 251)
    })
  })

  test('those that wait behind one in flight are not read', () => {
    const held: (() => void)[] = []
    const holding: Answer = (response) => held.push(() => response.writeHead(200).end())
    return delivering([holding, 200], async (all) => {
      const { app, worker, receiver } = all
      const tag = await makeTag(app)
      await receiver.arrived(1)
      for (const name of NAMES) await rename(all, tag, name)
      const read = await readingEvents(app, async () => {
        await makeTag(app)
        await receiver.arrived(2)
      })
      for (const release of held) release()
      await worker.idle()
      assert.deepEqual(new Set(read), new Set([7]))
      assert.deepEqual(namesOf(receiver.received, tag).slice(1), NAMES)
    })
  })

  test('messages that are sent again on request, the later one first, go in the order of their record while the receiver fails', () => {
    const held: (() => void)[] = []
    const holding: Answer = (response) => held.push(() => response.writeHead(500).end())
    return delivering([200, 200, 500, 500, 500, holding, 200], async (all) => {
      const { app, worker, receiver, id, pass } = all
      const tag = await makeTag(app)
      await rename(all, tag, 'Later')
      await worker.idle()
      const deliveries = await deliveriesOf(app, id)
      for (let count = 0; count < 4; count++) await makeTag(app)
      await receiver.arrived(5)
      app.advance(1000)
      await receiver.arrived(6)
      for (const { id: delivery } of deliveries) {
        app.advance(1)
        await play(app, { request: `POST ${WEBHOOKS}/deliveries/${delivery}/redeliver`, status: 202 })
      }
      for (const release of held) release()
      await worker.idle()
      await pass(HOUR)
      assert.equal(await app.app.webhooks.depth(), 0)
      const names = namesOf(receiver.received, tag)
      assert.deepEqual(names, [names[0], 'Later', names[0], 'Later'])
    })
  })

  test('a message that is sent again on request goes before later ones of its record', () => {
    const held: (() => void)[] = []
    const holding: Answer = (response) => held.push(() => response.writeHead(500).end())
    return delivering([200, 200, holding, 200], async (all) => {
      const { app, worker, receiver, id, pass } = all
      const tag = await makeTag(app)
      await rename(all, tag, 'First')
      await worker.idle()
      await rename(all, tag, 'Second')
      await receiver.arrived(3)
      const delivery = (await deliveriesOf(app, id)).at(-1)
      await play(app, { request: `POST ${WEBHOOKS}/deliveries/${delivery?.id}/redeliver`, status: 202 })
      for (const release of held) release()
      await worker.idle()
      await pass(HOUR)
      const names = namesOf(receiver.received, tag)
      assert.deepEqual(names, [names[0], 'First', 'Second', names[0], 'Second'])
    })
  })

  test('a test event is delivered again, also while its receiver gets one message at a time after failures', () =>
    delivering([500, 500, 500, 500, 200], async ({ app, worker, receiver, id, pass }) => {
      for (let count = 0; count < 3; count++) {
        await makeTag(app)
        await worker.idle()
      }
      await play(app, { request: `POST ${WEBHOOKS}/${id}/test`, status: 200 })
      const [tested] = await deliveriesOf(app, id)
      assert.deepEqual([tested?.event, tested?.status], ['test', 'failed'])
      await play(app, { request: `POST ${WEBHOOKS}/deliveries/${tested?.id}/redeliver`, status: 202 })
      await pass(HOUR)
      await pass(HOUR)
      assert.equal(await app.app.webhooks.depth(), 0)
      assert.equal(receiver.received.filter(({ body }) => JSON.parse(body).event === 'test').length, 2)
      assert.equal((await deliveriesOf(app, id)).find(({ event }) => event === 'test')?.status, 'delivered')
    }))
})
