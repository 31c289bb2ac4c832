import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Codings, openShop } from '../helpers/code/shop.ts'

const tests = (name: string, work: Codings['work'], hooks?: Readonly<Record<string, string>>) =>
  test(name, () => openShop(work, hooks))

describe('hooks of a project', () => {
  tests('compute, before a create and an update, and what they write is stored with the record', async ({ call, all }) => {
    const order = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
    assert.equal(order.status, 201, order.text)
    assert.deepEqual([order.data.total, order.data.number], [10, 'O-2'])
    assert.deepEqual(
      (await all('product')).map(({ stock }) => stock),
      [3, 9],
    )
    assert.deepEqual(
      (await all('ledger')).map(({ order_id, text }) => [order_id, text]),
      [[order.data.id, 'sold']],
    )
    const updated = await call('PUT', `order/${order.data.id}`, { quantity: 3 })
    assert.equal(updated.data.total, 15)
  })

  tests('a refusal by field is a validation error, and nothing is stored', async ({ call, all }) => {
    const refused = await call('POST', 'order', { product_id: 1, quantity: 6, price: 5 })
    assert.deepEqual([refused.status, refused.json], [400, { detail: { error: { quantity: ['Not in stock'] } } }])
    assert.deepEqual(
      (await all('product')).map(({ stock }) => stock),
      [5, 9],
    )
    assert.deepEqual(await all('ledger'), [])
  })

  tests('records of one request share what they write', async ({ call, all }) => {
    const records = [2, 2, 1].map((quantity) => ({ product_id: 1, quantity, price: 1 }))
    const created = await call('POST', 'order/bulk', undefined, { records })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(
      (await all('product')).map(({ stock }) => stock),
      [0, 9],
    )
    const refused = await call('POST', 'order/bulk', undefined, {
      records: [
        { product_id: 2, quantity: 9, price: 1 },
        { product_id: 2, quantity: 1, price: 1 },
      ],
    })
    assert.deepEqual(refused.json, { detail: { error: { '1.quantity': ['Not in stock'] } } })
  })

  tests('a client cannot set a computed field', async ({ call }) => {
    const refused = await call('POST', 'order', { product_id: 1, quantity: 1, price: 5, total: 1 })
    assert.deepEqual(refused.json, { detail: { error: { total: ['total is computed'] } } })
  })
})
