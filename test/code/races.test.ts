import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, withShop } from '../helpers/code/shop.ts'

const RACES = 300

describe('hooks beside other writes', () => {
  test('a cascade that appears during a deletion is seen by its hook', async () => {
    await withShop(
      async ({ call, all, seen }) => {
        const deleted: number[] = []
        for (let race = 0; race < RACES; race++) {
          const product = await call('POST', 'product', { name: `P${race}`, stock: 1 })
          const order = { product_id: product.data.id, quantity: 1, price: 1 }
          const [first, removed, second] = await Promise.all([
            call('POST', 'order', order),
            call('DELETE', `product/${product.data.id}`),
            call('POST', 'order', order),
          ])
          assert.equal(removed.status, 200, removed.text)
          for (const { status, data } of [first, second]) {
            if (status === 201) deleted.push(data.id)
            else assert.equal(status, 400)
          }
        }
        assert.deepEqual(await all('order'), [])
        assert.deepEqual([...new Set(seen())].sort(), [...new Set(deleted)].sort())
        assert.ok(deleted.length > 0)
      },
      hooksOf({ order: '{ beforeDelete: ({ before }) => void globalThis.seen.push(before.id) }' }),
    )
  })

  test('a record that a hook has read is, at the commit, as it was read', async () => {
    await withShop(
      async ({ call, all }) => {
        for (let round = 0; round < 50; round++) {
          await Promise.all([
            call('PUT', 'product/1', { stock: 100 + round }),
            ...[1, 2, 3].map((quantity) => call('POST', 'order', { product_id: 1, quantity, price: 1 })),
          ])
        }
        const history = (await all('historyentry')).filter(({ model }) => model === 'product' || model === 'order')
        let stock = 0
        let orders = 0
        for (const { model, changes } of history) {
          const values = typeof changes === 'string' ? JSON.parse(changes) : changes
          if (model === 'product' && values.stock !== undefined && history.length > 0) stock = values.stock.after
          if (model !== 'order') continue
          orders++
          assert.equal(Number(values.number.after.split('-')[0]), stock)
        }
        assert.equal(orders, 150)
      },
      hooksOf({
        order: `{ async beforeCreate(_, tx) {
          const { stock } = await tx.system.model('product').read(1)
          return { number: stock + '-' + Math.random() }
        } }`,
      }),
    )
  })

  test('after the commit, hooks find the record', async () => {
    await withShop(
      async ({ call, seen, until }) => {
        const records = Array.from({ length: 500 }, () => ({ name: 'tag' }))
        for (let round = 0; round < 4; round++) await call('POST', 'tag/bulk', undefined, { records })
        await until(async () => seen().length === 2000)
        assert.ok(seen().every((found) => found === true))
      },
      hooksOf({
        tag: `{ async afterCommit(changes, ctx) {
          const { data } = await ctx.model('tag').list({ filters: { id__gte: changes[0].after.id }, page_size: 100 })
          const ids = new Set(data.map(({ id }) => id))
          for (const { after } of changes.slice(0, 100)) globalThis.seen.push(ids.has(after.id))
          for (const _ of changes.slice(100)) globalThis.seen.push(true)
        } }`,
      }),
    )
  })
})
