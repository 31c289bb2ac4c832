import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hooksOf, withShop } from '../helpers/code/shop.ts'
import { repetitions } from '../helpers/counts.ts'

const CLIENTS = 16
const SALES = 1000
const STOCK = 500
const ROUNDS = repetitions(1, 20)

/** Sales that begin at once: more than the attempts that a write has. */
const AT_ONCE = 60

/**
 * A sale takes one piece of the stock of its product, which it reads in its transaction. Its unique number follows from the stock and the round.
 * Meanwhile others read the same stock.
 */
const SELLING = hooksOf({
  order: `{
  async beforeCreate({ record }, tx) {
    const products = tx.system.model('product')
    const product = await products.read(record.product_id)
    if (product.stock < 1) refuse('Sold out', 409)
    await new Promise(setImmediate)
    products.update(product.id, { stock: product.stock - 1 })
    return { number: record.price + '-' + product.stock }
  },
}`,
})

test(`${CLIENTS} clients try to sell a stock of ${STOCK} ${SALES} times`, async () => {
  await withShop(async ({ call, all }) => {
    for (let round = 1; round <= ROUNDS; round++) {
      await call('PUT', 'product/1', { stock: STOCK })
      let left = SALES
      const statuses = new Map<number, number>()
      const client = async () => {
        while (left-- > 0) {
          const { status, json } = await call('POST', 'order', { product_id: 1, quantity: 1, price: round })
          if (status === 409) assert.equal(json.details, 'Sold out')
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, client))
      assert.deepEqual(Object.fromEntries(statuses), { 201: STOCK, 409: SALES - STOCK })
      assert.equal((await all('product'))[0].stock, 0)
      assert.equal((await call('GET', 'order?page_size=1')).json.total, round * STOCK)
    }
  }, SELLING)
})

test(`${AT_ONCE} sales that begin at once take turns`, async () => {
  await withShop(async ({ call, all }) => {
    await call('PUT', 'product/1', { stock: AT_ONCE })
    const sale = () => call('POST', 'order', { product_id: 1, quantity: 1, price: 1 })
    for (const { status, text } of await Promise.all(Array.from({ length: AT_ONCE }, sale))) assert.equal(status, 201, text)
    assert.equal((await all('product'))[0].stock, 0)
  }, SELLING)
})
