import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { NO_SOCKET_OWNERS } from '../helpers/postgres/socket-owner.ts'
import { KNOWN_MS, type TwoServers, twoServers } from '../helpers/postgres/two-servers.ts'

/** A process that dies is replaced within this time, in seconds. */
const TAKEOVER_SECONDS = 30

/** Creates tags on both processes by turns, 16 at once. Returns their ids. */
async function createTags({ servers, request }: TwoServers, count: number, prefix: string): Promise<number[]> {
  const ids: number[] = []
  let next = 0
  const client = async () => {
    for (let index = next++; index < count; index = next++) {
      const { status, json } = await request(servers[index % 2 === 0 ? 0 : 1], 'POST', 'models/tag', {
        data: { name: `${prefix} ${index}` },
      })
      assert.equal(status, 201, JSON.stringify(json))
      ids.push(json.data.id)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
  return ids
}

async function subscribe({ servers, request, url }: TwoServers): Promise<number> {
  const { status, json } = await request(servers[0], 'POST', 'webhooks', { url, models: ['tag'], events: ['create'] })
  assert.equal(status, 201, JSON.stringify(json))
  await setTimeout(KNOWN_MS)
  return json.data.id
}

describe('webhooks of two processes', { skip: NO_POSTGRES ?? NO_SOCKET_OWNERS }, () => {
  test('each event reaches a slow receiver once, and only one process sends at a time', async () => {
    await twoServers(async (parts) => {
      const { delivered, overlaps, until, request, servers } = parts
      parts.delay = 30
      const webhook = await subscribe(parts)
      const records = await createTags(parts, 200, 'Slow')
      await until(() => delivered.length >= 200, 'all events are delivered')
      await until(
        async () => (await request(servers[1], 'GET', `webhooks/${webhook}`)).json.data.pending === 0,
        'all results are stored',
      )
      assert.equal(new Set(delivered.map(({ id }) => id)).size, 200)
      assert.deepEqual(delivered.map(({ record }) => record).sort(byNumber), records.sort(byNumber))
      assert.ok(delivered.every(({ pid }) => pid !== undefined))
      assert.deepEqual(overlaps, [])
    })
  })

  test('the events of one record arrive in their order, whichever process stored them', async () => {
    await twoServers(async (parts) => {
      const { delivered, overlaps, until, request, servers, url } = parts
      parts.delay = 5
      assert.equal((await request(servers[0], 'POST', 'webhooks', { url, models: ['tag'] })).status, 201)
      await setTimeout(KNOWN_MS)
      const tags = await createTags(parts, 8, 'Ordered')
      const rename = async (tag: number) => {
        for (let count = 1; count <= 20; count++) {
          const data = { name: `${count}` }
          assert.equal((await request(servers[count % 2 === 0 ? 0 : 1], 'PATCH', `models/tag/${tag}`, { data })).status, 200)
        }
      }
      await Promise.all(tags.map(rename))
      await until(() => delivered.length >= 168, 'all events are delivered')
      for (const tag of tags) {
        const names = delivered.flatMap(({ record, name }) => (record === tag ? [name] : [])).slice(1)
        assert.deepEqual(
          names,
          Array.from({ length: 20 }, (_, index) => `${index + 1}`),
        )
      }
      assert.deepEqual(overlaps, [])
    })
  })

  test('when the sender is killed, another process sends what is left, with the same ids', async () => {
    await twoServers(async (parts) => {
      const { delivered, overlaps, until, servers } = parts
      parts.delay = 500
      await subscribe(parts)
      const records = await createTags(parts, 60, 'Killed')
      await until(() => delivered.length > 0, 'a delivery')
      const first = delivered[0]?.pid
      const killed = servers.find(({ child }) => child.pid === first) ?? assert.fail('The sender is unknown')
      killed.child.kill('SIGKILL')
      await once(killed.child, 'close')
      const died = performance.now()
      await until(() => new Set(delivered.map(({ record }) => record)).size === 60, 'the other takes over')
      const takenOver = delivered.find(({ pid }) => pid !== first) ?? assert.fail('Nothing was left to take over')
      assert.ok(takenOver.at - died < TAKEOVER_SECONDS * 1000, `after ${takenOver.at - died} ms`)
      const pairs = new Set(delivered.map(({ record, id }) => `${record} ${id}`))
      assert.equal(pairs.size, 60, 'a repeated message has its first id')
      assert.deepEqual([...new Set(delivered.map(({ record }) => record))].sort(byNumber), records.sort(byNumber))
      assert.deepEqual(overlaps, [])
    })
  })

  test('a subscription that another process changes is followed, and a redelivery reaches the sender', async () => {
    await twoServers(async (parts) => {
      const { delivered, until, request, servers } = parts
      const [one, other] = servers
      const webhook = await subscribe(parts)
      await createTags(parts, 2, 'First')
      await until(() => delivered.length === 2, 'both are delivered')
      const sender = servers.find(({ child }) => child.pid === delivered[0]?.pid) ?? assert.fail('The sender is unknown')
      const idle = sender === one ? other : one
      await setTimeout(500)
      const log = await request(idle, 'GET', `webhooks/${webhook}/deliveries`)
      const delivery = log.json.data[0]?.id ?? assert.fail(JSON.stringify(log.json))
      const again = await request(idle, 'POST', `webhooks/deliveries/${delivery}/redeliver`)
      assert.ok(again.status < 300, JSON.stringify(again))
      await until(() => delivered.length === 3, 'the redelivery')
      assert.equal((await request(other, 'PATCH', `webhooks/${webhook}`, { active: false })).status, 200)
      await setTimeout(KNOWN_MS)
      await createTags(parts, 4, 'Disabled')
      assert.equal((await request(one, 'GET', `webhooks/${webhook}`)).json.data.pending, 0)
      assert.equal((await request(other, 'PATCH', `webhooks/${webhook}`, { active: true })).status, 200)
      await setTimeout(KNOWN_MS)
      await createTags(parts, 4, 'Enabled')
      await until(() => delivered.length === 7, 'those after it was enabled')
      assert.equal((await request(other, 'DELETE', `webhooks/${webhook}`)).status, 200)
      await setTimeout(KNOWN_MS)
      await createTags(parts, 4, 'Removed')
      assert.equal((await request(one, 'GET', `webhooks/${webhook}`)).status, 404)
      await setTimeout(1000)
      assert.equal(delivered.length, 7)
    })
  })
})

const byNumber = (a: number, b: number): number => a - b
