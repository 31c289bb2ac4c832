import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork, code: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

const ORDER = { product_id: 1, quantity: 2, price: 5 }

const ARCHIVE = `// @ts-nocheck
import { defineAction, defineModel } from 'admin-folder'
const Order = defineModel({ name: 'Order', fields: [{ name: 'number', type: 'string' }] })
export default defineAction(Order, {
  name: 'archive',
  title: 'Archive',
  async run({ records, set }, tx) {
    set({ number: 'archived' })
    for (const { id } of records) {
      tx.system.model('ledger').create({ text: 'order ' + id })
      tx.model('order').delete(id)
    }
  },
})
`

describe('code that deletes records of its request', () => {
  shopTest(
    'an action deletes its records, whose hooks are those of a deletion',
    async ({ app, call, all, seen }) => {
      for (let count = 0; count < 3; count++) await call('POST', 'order', ORDER)
      const one = await call('POST', 'order/1/actions/archive', undefined, {})
      assert.deepEqual([one.status, one.json.total, one.data[0].id], [200, 1, 1], one.text)
      const dry = await call('POST', 'order/actions/archive?dry_run=true', undefined, { ids: [2, 3] })
      assert.deepEqual([dry.status, (await all('order')).length], [200, 2], dry.text)
      const several = await call('POST', 'order/actions/archive', undefined, { ids: [2, 3] })
      assert.deepEqual([several.status, several.json.total], [200, 2], several.text)
      assert.deepEqual(
        [await all('order'), (await all('ledger')).map(({ text }) => text)],
        [[], ['order 1', 'order 2', 'order 3']],
      )
      assert.deepEqual(seen(), ['delete 1', 'delete 2', 'delete 3', 'delete 2', 'delete 3'])
      assert.deepEqual(app.reported, [])
    },
    {
      'actions/archive.ts': ARCHIVE,
      ...hooksOf({
        order: `{
          beforeUpdate({ record }) { globalThis.seen.push('update ' + record.id) },
          beforeDelete({ before }) { globalThis.seen.push('delete ' + before.id) },
        }`,
      }),
    },
  )

  shopTest(
    'the deletion by an action needs its permission',
    async ({ call, all, as }) => {
      await call('POST', 'order', ORDER)
      await call('POST', 'group', { name: 'Staff', permissions: await as.permissions('archive_order') })
      await as.user('lea', 'Staff')
      const { status } = await call('POST', 'order/1/actions/archive', undefined, {}, 'lea')
      assert.deepEqual([status, (await all('order')).length], [403, 1])
    },
    { 'actions/archive.ts': ARCHIVE },
  )

  shopTest(
    'a hook does not delete the record that the request updates, and the log names it',
    async ({ app, call, all }) => {
      await call('POST', 'order', ORDER)
      const { status } = await call('PUT', 'order/1', { quantity: 3 })
      assert.deepEqual([status, (await all('order'))[0].quantity], [500, 2])
      assert.match(
        String(app.reported.pop()),
        /hooks\/order\.ts:\d+ beforeUpdate: Order 1 is the record that the request changes/,
      )
    },
    hooksOf({ order: `{ beforeUpdate({ record }, tx) { tx.system.model('order').delete(record.id) } }` }),
  )

  shopTest(
    'an update of a record that the request or its cascade deletes is dropped',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      const { status, text } = await call('DELETE', 'product/1')
      assert.equal(status, 200, text)
      assert.deepEqual([(await all('product')).map(({ id }) => id), await all('order')], [[2], []])
      assert.deepEqual(seen(), [undefined])
      assert.equal((await call('DELETE', 'product/2')).status, 404)
    },
    hooksOf({
      product: `{ beforeDelete({ before }, tx) { if (before.id === 2) tx.system.model('product').update(9, { stock: 0 }) } }`,
      order: `{ async beforeDelete({ before }, tx) {
        globalThis.seen.push(await tx.system.model('product').read(before.product_id))
        tx.system.model('product').update(before.product_id, { stock: 0 })
        tx.system.model('order').update(before.id, { quantity: 0 })
      } }`,
    }),
  )
})
