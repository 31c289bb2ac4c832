import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork): void => {
  // The hook reads the stock, and what the test calls "meanwhile" happens before it is committed.
  const order = `{ async beforeCreate({ record, ref }, tx) {
    const { stock } = await tx.system.model('product').read(record.product_id)
    tx.system.model('ledger').create({ order_id: ref, text: 'of ' + stock })
    await globalThis.meanwhile(stock)
  } }`
  test(name, () => withShop(work, hooksOf({ order })))
}

const ORDERS = [{ model: 'order', data: { product_id: 1, quantity: 2, price: 5 } }]

describe('seeds whose hooks have read a record that changes before the commit', () => {
  shopTest('are completed again', async ({ app, call, all }) => {
    let count = 0
    Object.assign(globalThis, { meanwhile: async () => count++ === 0 && (await call('PUT', 'product/1', { stock: 4 })) })
    assert.deepEqual(await app.app.records.load(SYSTEM, ORDERS), [])
    assert.deepEqual(
      (await all('ledger')).map(({ order_id, text }) => [order_id, text]),
      [[1, 'of 4']],
    )
    assert.deepEqual([(await all('order')).length, count], [1, 2])
  })

  shopTest('are refused after 20 attempts', async ({ app, call, all }) => {
    let count = 0
    Object.assign(globalThis, {
      meanwhile: async (stock: number) => {
        count++
        await call('PUT', 'product/1', { stock: stock + 1 })
      },
    })
    await assert.rejects(app.app.records.load(SYSTEM, ORDERS), { code: 'WRITE_CONFLICT' })
    assert.deepEqual([count, await all('order'), await all('ledger')], [20, [], []])
  })
})
