import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

type Shop = Parameters<ShopWork>[0]

const send = ({ call }: Shop, ...operations: readonly object[]) => call('POST', '../batch', undefined, { operations })
const create = (model: string, data: object, ref?: string) => ({ method: 'create', model, data, ref })

const ORDER = { product_id: 1, quantity: 2, price: 5 }

const shopTest = (name: string, work: ShopWork, code?: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

describe('hooks of the models of a batch', () => {
  shopTest('a hook reads and changes a record that the same batch creates', async (shop) => {
    const product = create('product', { name: 'Cap', stock: 5 }, 'cap')
    const { status, json, text } = await send(shop, product, create('order', { ...ORDER, product_id: { $ref: 'cap' } }))
    assert.equal(status, 200, text)
    assert.deepEqual([json.data[0].stock, json.data[1].number, json.data[1].total], [3, 'O-3-5', 10])
    const [ledger] = await shop.all('ledger')
    assert.deepEqual([ledger.order_id, (await shop.all('product'))[2].stock], [json.data[1].id, 3])
  })

  shopTest('hooks of several operations see what those before them have written', async (shop) => {
    const { status, text } = await send(shop, create('order', ORDER), create('order', ORDER))
    assert.equal(status, 200, text)
    assert.equal((await shop.all('product'))[0].stock, 1)
  })

  shopTest('a refusal of a hook names the operation, and nothing is stored', async (shop) => {
    const { status, json } = await send(shop, create('product', { name: 'Cap', stock: 1 }), create('order', ORDER), {
      ...create('order', { ...ORDER, product_id: 2, quantity: 10 }),
    })
    assert.deepEqual([status, json.detail.error], [400, { '2.quantity': ['Not in stock'] }])
    assert.deepEqual([(await shop.all('order')).length, (await shop.all('product')).length], [0, 2])
  })

  shopTest(
    'the hooks of deletions and of their cascades run, but for a record that the batch moves away',
    async (shop) => {
      await send(shop, create('order', ORDER), create('order', ORDER))
      const { status, text } = await send(
        shop,
        create('product', { name: 'Cap', stock: 5 }, 'cap'),
        { method: 'update', model: 'order', id: 1, data: { product_id: { $ref: 'cap' } } },
        { method: 'delete', model: 'product', id: 1 },
      )
      assert.equal(status, 200, text)
      assert.deepEqual(shop.seen(), ['product 1', 'order 2'])
      assert.deepEqual(
        (await shop.all('order')).map(({ id, product_id }) => [id, product_id]),
        [[1, 3]],
      )
      // What the hook of the deletion has written.
      assert.deepEqual(
        (await shop.all('ledger')).map(({ order_id, text }) => [order_id, text]),
        [[1, 'Pen is gone']],
      )
    },
    hooksOf({
      product: `{ beforeDelete({ before }, tx) {
        globalThis.seen.push('product ' + before.id)
        tx.system.model('ledger').create({ order_id: 1, text: before.name + ' is gone' })
      } }`,
      order: `{ beforeDelete({ before }) { globalThis.seen.push('order ' + before.id) } }`,
    }),
  )
})
