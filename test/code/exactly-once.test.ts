import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { JOBS } from '../../src/code/job-models.ts'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork, code: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

const ORDER = { product_id: 1, quantity: 2, price: 5 }

const JOB = {
  'jobs/receipt.ts': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'receipt', run() {} })
`,
  'admin.config.yaml': 'jobs: { run: false }\n',
}

describe('beforeUpdate takes effect once for each committed change', () => {
  shopTest(
    'of a record that what it writes writes again, with its writes and jobs',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      const { status, text, data } = await call('PUT', 'order/1', { quantity: 3 })
      assert.equal(status, 200, text)
      assert.deepEqual([data.number, data.total], ['trimmed', 15])
      assert.deepEqual([(await all('ledger')).length, (await all(JOBS)).length], [1, 1])
      assert.deepEqual(seen().at(-1), { before: [2, null], record: [3, ' trimmed '], changed: ['quantity', 'number'] })
    },
    {
      ...JOB,
      ...hooksOf({
        order: `{
          compute: { total: ({ quantity, price }) => quantity * price },
          async beforeUpdate({ record, before, changed }, tx) {
            globalThis.seen.push({ before: [before.quantity, before.number ?? null], record: [record.quantity, record.number ?? null], changed: [...changed] })
            tx.system.model('ledger').create({ order_id: record.id, text: 'changed' })
            await tx.enqueue('receipt', {})
            return { number: record.number?.trim() }
          },
        }`,
        ledger: `{ async beforeCreate({ record }, tx) { tx.system.model('order').update(record.order_id, { number: ' trimmed ' }) } }`,
      }),
    },
  )

  shopTest(
    'of a record that hooks of several levels write, each reading what the former one wrote',
    async ({ call, all }) => {
      const { status, text } = await call('POST', 'order', ORDER)
      assert.equal(status, 201, text)
      assert.equal((await all('product'))[0].stock, 3)
      assert.deepEqual(
        (await all('tag')).map(({ name }) => name),
        ['late', '5 to 3'],
      )
    },
    hooksOf({
      order: `{ async beforeCreate({ ref }, tx) {
        const { stock } = await tx.system.model('product').read(1)
        tx.system.model('product').update(1, { stock: stock - 1 })
        tx.system.model('ledger').create({ order_id: ref, text: 'sold' })
      } }`,
      ledger: `{ async beforeCreate(_, tx) {
        await new Promise(setImmediate)
        tx.system.model('tag').create({ name: 'late' })
      } }`,
      tag: `{ async beforeCreate({ record }, tx) {
        if (record.name !== 'late') return
        const { stock } = await tx.system.model('product').read(1)
        tx.system.model('product').update(1, { stock: stock - 1 })
      } }`,
      product: `{ beforeUpdate({ record, before }, tx) {
        tx.system.model('tag').create({ name: before.stock + ' to ' + record.stock })
      } }`,
    }),
  )

  shopTest(
    'of a record of a bulk that the hook of a later one writes, and of one that a cascade empties',
    async ({ call, all }) => {
      for (let count = 0; count < 2; count++) await call('POST', 'order', ORDER)
      const updates = [1, 2].map((id) => ({ id, data: { quantity: 3 } }))
      assert.equal((await call('PUT', 'order/bulk', undefined, { updates })).status, 200)
      assert.deepEqual(
        (await all('ledger')).map(({ text }) => text),
        ['1: quantity, number', '2: quantity'],
      )
      await call('DELETE', 'order/1')
      assert.deepEqual(
        (await all('ledger')).map(({ order_id, text }) => [order_id, text]),
        [
          [null, 'order_id, text'],
          [2, '2: quantity'],
        ],
      )
    },
    hooksOf({
      order: `{
        beforeUpdate({ record, changed }, tx) {
          if (record.id === 2) tx.system.model('order').update(1, { number: 'by the second' })
          tx.system.model('ledger').create({ order_id: record.id, text: record.id + ': ' + [...changed].join(', ') })
        },
        async beforeDelete(_, tx) { tx.system.model('ledger').update(1, { text: 'gone' }) },
      }`,
      ledger: `{ beforeUpdate: ({ changed }) => ({ text: [...changed].sort().join(', ') }) }`,
    }),
  )

  shopTest(
    'of a record that it writes itself',
    async ({ call, seen }) => {
      await call('POST', 'order', ORDER)
      const { data } = await call('PUT', 'order/1', { quantity: 3 })
      assert.deepEqual([data.price, data.total, seen()], [7, 21, [['quantity']]])
    },
    hooksOf({
      order: `{
        compute: { total: ({ quantity, price }) => quantity * price },
        beforeUpdate({ record, changed }, tx) {
          globalThis.seen.push([...changed])
          tx.system.model('order').update(record.id, { price: 7 })
        },
      }`,
    }),
  )

  shopTest(
    'and is called for what is new where each run writes another value',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      const { status, data, text } = await call('PUT', 'order/1', { quantity: 3 })
      assert.equal(status, 200, text)
      assert.deepEqual(seen().slice(-2), [['quantity'], ['number']])
      assert.deepEqual([(await all('ledger')).length, (await all('order'))[0].number], [1, data.number])
    },
    hooksOf({
      order: `{ beforeUpdate({ record, changed }, tx) {
        globalThis.seen.push([...changed])
        if (changed.has('quantity')) tx.system.model('ledger').create({ order_id: record.id, text: 'changed' })
      } }`,
      ledger: `{ beforeCreate({ record }, tx) {
        globalThis.count = (globalThis.count ?? 0) + 1
        tx.system.model('order').update(record.order_id, { number: 'run ' + globalThis.count })
      } }`,
    }),
  )
})
