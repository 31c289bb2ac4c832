import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'

/** Races that the scheduler decides; those of `late-cascades.test.ts` are certain. */
const RACES = repetitions(100, 10_000)
/** Records that `afterCommit` reads. */
const CREATES = repetitions(500, 10_000)
/** Records that change after a hook has read them. */
const READ = repetitions(50, 1000)
/** Records of a bulk operation whose hooks refer to records in the making. */
const BULK = 1000
const CLIENTS = 16

type Call = Parameters<ShopWork>[0]['call']

/** What another request does to the tag that a hook has read, by the name that it had. */
const READS = [
  { what: 'changes', name: 'old', write: (call: Call, id: number) => call('PUT', `tag/${id}`, { name: 'new' }) },
  { what: 'is deleted', name: 'old', write: (call: Call, id: number) => call('DELETE', `tag/${id}`) },
  { what: 'appears', name: undefined, write: (call: Call) => call('POST', 'tag', { name: 'new' }) },
]

describe('hooks beside other writes', () => {
  test('a cascade that appears during a deletion is seen by its hook', async () => {
    await withShop(
      async ({ call, all, seen }) => {
        const deleted: number[] = []
        let withCascade = 0
        for (let race = 0; race < RACES; race++) {
          const product = await call('POST', 'product', { name: `P${race}`, stock: 1 })
          const order = { product_id: product.data.id, quantity: 1, price: 1 }
          const [first, removed, second] = await Promise.all([
            call('POST', 'order', order),
            call('DELETE', `product/${product.data.id}`),
            call('POST', 'order', order),
          ])
          assert.equal(removed.status, 200, removed.text)
          const before = deleted.length
          for (const { status, data } of [first, second]) {
            if (status === 201) deleted.push(data.id)
            else assert.equal(status, 400)
          }
          if (deleted.length > before) withCascade++
        }
        assert.deepEqual(await all('order'), [])
        const ascending = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b)
        assert.deepEqual(ascending(seen()), ascending(deleted))
        assert.ok(withCascade > 0)
      },
      hooksOf({ order: '{ beforeDelete: ({ before }) => void globalThis.seen.push(before.id) }' }),
    )
  })

  for (const { what, name, write } of READS) {
    test(`a record that a hook has read ${what} before the commit, ${READ} times`, async () => {
      await withShop(
        async ({ call }) => {
          for (let race = 1; race <= READ; race++) {
            if (name !== undefined) assert.equal((await call('POST', 'tag', { name })).data.id, race)
            let runs = 0
            const reach = async () => {
              if (runs++ === 0) assert.ok([200, 201].includes((await write(call, race)).status))
            }
            Object.assign(globalThis, { reach })
            const { status, data, text } = await call('POST', 'order', { product_id: 1, quantity: race, price: 1 })
            assert.equal(status, 201, text)
            assert.deepEqual([data.number, runs], [`${race} ${what === 'is deleted' ? 'nothing' : 'new'}`, 2])
          }
        },
        hooksOf({
          order: `{ async beforeCreate({ record: { quantity } }, tx) {
            const tag = await tx.system.model('tag').read(quantity)
            await globalThis.reach()
            return { number: quantity + ' ' + (tag?.name ?? 'nothing') }
          } }`,
        }),
      )
    })
  }

  test(`after the commit, hooks find the record in ${CREATES} of ${CREATES}`, async () => {
    await withShop(
      async ({ call, seen, until }) => {
        let left = CREATES
        const client = async () => {
          while (left-- > 0) assert.equal((await call('POST', 'tag', { name: 'tag' })).status, 201)
        }
        await Promise.all(Array.from({ length: CLIENTS }, client))
        await until(async () => seen().length === CREATES)
        assert.ok(seen().every((found) => found === true))
      },
      hooksOf({
        tag: `{ async afterCommit(changes, ctx) {
          for (const { after } of changes) {
            const found = await ctx.model('tag').read(after.id).catch(() => undefined)
            globalThis.seen.push(found?.data.id === after.id)
          }
        } }`,
      }),
    )
  })

  test(`${BULK} records of a request refer to records in the making, by keys and by lists`, async () => {
    await withShop(
      async ({ call, all }) => {
        const records = Array.from({ length: BULK }, (_, index) => ({ product_id: 1, quantity: index, price: 1 }))
        const { status, text } = await call('POST', 'order/bulk', undefined, { records })
        assert.equal(status, 201, text)
        const names = async (model: string) => new Map((await all(model)).map(({ id, name }) => [id, name]))
        const [tags, products] = [await names('tag'), await names('product')]
        const orders = await all('order')
        assert.equal(orders.length, BULK)
        for (const { quantity, product_id: product, tags: ids } of orders) {
          assert.equal(products.get(product), `product ${quantity}`)
          assert.deepEqual(
            ids.map((id: number) => tags.get(id)),
            [`first ${quantity}`, `second ${quantity}`],
          )
        }
        const ledger = await all('ledger')
        assert.deepEqual(
          ledger.map(({ order_id: order, text }) => [order, text]),
          orders.map(({ id, quantity }) => [id, `order ${quantity}`]),
        )
      },
      hooksOf({
        order: `{ beforeCreate({ record: { quantity }, ref }, tx) {
          const tags = tx.system.model('tag')
          tx.system.model('ledger').create({ order_id: ref, text: 'order ' + quantity })
          return {
            product_id: tx.system.model('product').create({ name: 'product ' + quantity, stock: 1 }),
            tags: [tags.create({ name: 'first ' + quantity }), tags.create({ name: 'second ' + quantity })],
          }
        } }`,
      }),
    )
  })
})
