import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  APPEARS,
  CHANGES,
  deletionOf,
  type LateWrite,
  LEAVES,
  type Seen,
  type Send,
  waitingHooks,
} from '../helpers/code/late-cascades.ts'
import { SHOP_MODELS } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'
import { openOtherWrites } from '../helpers/postgres/other-writes.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { twoServers } from '../helpers/postgres/two-servers.ts'

/** Deletions in which an order appears. */
const LATE = repetitions(40, 10_000)
/** Deletions in which an order changes or leaves. */
const OTHERS = repetitions(16, 400)

/** Products that are deleted at once. */
const AT_ONCE = 4

/** What the other process does in a race. */
const lateIn = (race: number): LateWrite => (race >= OTHERS ? APPEARS : race % 4 < 2 ? CHANGES : LEAVES)

test(`by another process, while a hook of a deletion waits: an order appears ${LATE} times, changes or leaves ${OTHERS} times`, {
  skip: NO_POSTGRES,
  timeout: 1_100_000,
}, async () => {
  await using others = await openOtherWrites()
  const files = {
    ...SHOP_MODELS,
    'admin.config.yaml': 'rate_limits: { default: 0 }\n',
    ...waitingHooks({
      product: 'undefined',
      order: 'undefined',
      ledger: `fetch('${others.address}' + record.text.split(/[ :]/)[1])`,
    }),
  }
  await twoServers(
    async ({ servers: [one, other], request }) => {
      const send: Send = async (method, path, data) => {
        const { status, json } = await request(one, method, `models/${path}`, { data })
        assert.ok(status === 200 || status === 201, JSON.stringify(json))
        return json.data
      }
      const expected: string[] = []
      let left = 0
      let next = 0
      const client = async () => {
        for (let race = next++; race < LATE + OTHERS; race = next++) {
          const { id: product } = await send('POST', 'product', { name: 'Pen', stock: 1 })
          const { id: order } = await send('POST', 'order', { product_id: product, quantity: 1, price: 1 })
          const late = lateIn(race)
          let seen: Promise<Seen> | undefined
          others.writes.set(order, () => {
            seen = late.write({ product, order, send })
            return seen
          })
          const { method, path, data, status } = deletionOf(product, race)
          const deleted = await request(other, method, `models/${path}`, data && { data })
          assert.equal(deleted.status, status, JSON.stringify(deleted.json))
          assert.ok(seen !== undefined, 'a hook has waited')
          expected.push(...(await seen).entries)
          if (late === LEAVES) left++
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, client))
      const entries: string[] = []
      for (let page = 1, isLast = false; !isLast; page++) {
        const { json } = await request(one, 'GET', `models/ledger?page_size=100&page=${page}`)
        entries.push(...json.data.map(({ text }: { readonly text: string }) => text))
        isLast = !json.has_next
      }
      assert.deepEqual(entries.sort(), expected.sort())
      assert.equal((await request(one, 'GET', 'models/order?page_size=1')).json.total, left)
    },
    { files },
  )
})
