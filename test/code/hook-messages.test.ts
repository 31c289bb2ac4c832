import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork, code: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

const ORDER = { product_id: 1, quantity: 2, price: 5 }

describe('the log places what code does wrong', () => {
  for (const [name, statement, line, message] of [
    [
      'an id to come in a field of another model',
      `tx.system.model('ledger').update(1, { order_id: ledger })`,
      8,
      /order_id refers to no Ledger/,
    ],
    [
      'an id to come in a field that refers to nothing',
      `tx.system.model('ledger').create({ text: ledger })`,
      8,
      /text refers to no Ledger/,
    ],
    [
      'an id of another transaction',
      `tx.system.model('ledger').create({ order_id: globalThis.kept })`,
      8,
      /that another transaction creates/,
    ],
    ['a refusal without a text', 'refuse({ quantity: 5 })', 8, /refuse takes a sentence, or texts by field/],
    ['a refusal with nothing', 'refuse()', 8, /refuse takes a sentence/],
    ['a value of another model in what it returns', 'return { product_id: ledger }', 3, /product_id refers to no Ledger/],
  ] as const) {
    shopTest(
      name,
      async ({ app, call, all }) => {
        assert.equal((await call('POST', 'order', { ...ORDER, number: 'kept' })).status, 201)
        const { status } = await call('POST', 'order', ORDER)
        assert.deepEqual([status, (await all('order')).length], [500, 1])
        const text = String(app.reported.pop())
        assert.match(text, new RegExp(`hooks/order\\.ts:${line} beforeCreate: `))
        assert.match(text, message)
      },
      hooksOf({
        order: `{
  // the second of two lines
  async beforeCreate({ record, ref }, tx) {
    if (record.number === 'kept') { globalThis.kept = ref; return }
    const ledger = tx.system.model('ledger').create({ text: 'x' })
    ${statement}
  },
}`,
      }),
    )
  }

  shopTest(
    'what took too long after a commit, which is stored',
    async ({ app, call, all, seen, until }) => {
      assert.equal((await call('POST', 'order', ORDER)).status, 201)
      await until(async () => seen().length === 1)
      app.advance(30_000)
      await until(async () => app.reported.length === 1)
      const text = String(app.reported.pop())
      assert.match(text, /hooks\/order\.ts:\d+ afterCommit took more than 30 s$/)
      assert.equal((await all('order')).length, 1)
    },
    hooksOf({ order: `{ async afterCommit() { globalThis.seen.push('begun'); await new Promise(() => {}) } }` }),
  )
})

describe('messages of records that code writes name their model', () => {
  const MESSAGES = { 'ledger.text': ['text is mandatory'], 'order.number': ['number must be unique'], 'ledger.order_id': ['No'] }
  const hooks = hooksOf({
    order: `{
      beforeCreate({ record }, tx) {
        if (record.number === 'faulty') tx.system.model('ledger').create({})
        if (record.number === 'twin') tx.system.model('order').create({ product_id: 1, quantity: 1, price: 1, number: 'kept' })
        if (record.number === 'refused') tx.system.model('ledger').create({ text: 'refused' })
      },
      beforeDelete: (_, tx) => void tx.system.model('ledger').create({}),
    }`,
    ledger: `{ beforeCreate: ({ record }) => record.text === 'refused' ? refuse({ order_id: 'No' }) : undefined }`,
  })

  shopTest(
    'beside the index of the record of the request',
    async ({ call }) => {
      await call('POST', 'order', { ...ORDER, number: 'kept' })
      for (const [index, number] of ['faulty', 'twin', 'refused'].entries()) {
        const [key = '', messages] = Object.entries(MESSAGES)[index] ?? []
        const one = await call('POST', 'order', { ...ORDER, number })
        assert.deepEqual([one.status, one.json], [400, { detail: { error: { [key]: messages } } }])
        const records = [
          { ...ORDER, number: 'good' },
          { ...ORDER, number },
        ]
        const many = await call('POST', 'order/bulk', undefined, { records })
        assert.deepEqual([many.status, many.json], [400, { detail: { error: { [`1.${key}`]: messages } } }])
      }
      const deleted = await call('DELETE', 'order/1')
      assert.deepEqual([deleted.status, deleted.json], [400, { detail: { error: { 'ledger.text': MESSAGES['ledger.text'] } } }])
    },
    hooks,
  )

  test('in seeds, at the seed that they were written for', async () => {
    const seed = `- { number: kept, product_id: 1, quantity: 1, price: 1 }
- { number: faulty, product_id: 1, quantity: 1, price: 1 }
`
    await assert.rejects(
      withShop(async () => {}, { ...hooks, 'seed/order.yaml': seed }),
      { message: /^seed\/order\.yaml:2:3: ledger\.text: text is mandatory$/m },
    )
  })
})
