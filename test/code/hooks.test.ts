import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork, code?: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

const stocks = (products: readonly { readonly stock: number }[]) => products.map(({ stock }) => stock)

describe('hooks of a project', () => {
  shopTest('what they compute, return and write is stored with the record', async ({ call, all }) => {
    const order = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
    assert.equal(order.status, 201, order.text)
    assert.deepEqual([order.data.total, order.data.number], [10, 'O-1-5'])
    assert.deepEqual(stocks(await all('product')), [3, 9])
    const [ledger] = await all('ledger')
    assert.deepEqual([ledger.order_id, ledger.text], [order.data.id, 'sold'])
    const updated = await call('PUT', `order/${order.data.id}`, { quantity: 3 })
    assert.equal(updated.data.total, 15)
    const history = await call('GET', `ledger/${ledger.id}/history`)
    assert.deepEqual([history.data[0].via, history.data[0].user.username], ['hook', 'admin'])
  })

  shopTest(
    'a record that a hook adds to one of its own model has its own way in the history',
    async ({ call }) => {
      assert.equal((await call('POST', 'product', { name: 'Cap', stock: 1 })).status, 201)
      const ways = await Promise.all([3, 4].map((id) => call('GET', `product/${id}/history`)))
      assert.deepEqual(
        ways.map(({ data }) => data[0].via),
        ['api', 'hook'],
      )
    },
    hooksOf({
      product: `{ beforeCreate({ record }, tx) {
        if (record.name === 'Cap') tx.system.model('product').create({ name: 'Box', stock: 1 })
      } }`,
    }),
  )

  shopTest('a refusal by field is a validation error beside others, and nothing is stored', async ({ call, all }) => {
    const refused = await call('POST', 'order', { product_id: 1, quantity: 6 })
    const expected = { quantity: ['Not in stock'], price: ['price is mandatory'] }
    assert.deepEqual([refused.status, refused.json], [400, { detail: { error: expected } }])
    assert.deepEqual(stocks(await all('product')), [5, 9])
    assert.deepEqual(await all('ledger'), [])
  })

  shopTest('records of one request see what the hooks of the others wrote', async ({ call, all }) => {
    const records = [2, 2, 1].map((quantity) => ({ product_id: 1, quantity, price: 1 }))
    const created = await call('POST', 'order/bulk', undefined, { records })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(stocks(await all('product')), [0, 9])
    const others = [9, 1].map((quantity) => ({ product_id: 2, quantity, price: 1 }))
    const refused = await call('POST', 'order/bulk', undefined, { records: others })
    assert.deepEqual(refused.json, { detail: { error: { '1.quantity': ['Not in stock'] } } })
    assert.deepEqual(stocks(await all('product')), [0, 9])
  })

  shopTest('a client cannot set a computed field, and what it sends must be well-formed before code runs', async ({ call }) => {
    const computed = await call('POST', 'order', { product_id: 1, quantity: 1, price: 5, total: 1 })
    assert.deepEqual(computed.json, { detail: { error: { total: ['total is computed'] } } })
    const malformed = await call('POST', 'order', { product_id: 1, quantity: 'many', price: 5 })
    assert.deepEqual(malformed.json, { detail: { error: { quantity: ['quantity must be an integer'] } } })
  })

  shopTest(
    'a dry run calls them and stores nothing',
    async ({ call, all }) => {
      const order = await call('POST', 'order?dry_run=true', { product_id: 1, quantity: 2, price: 5 })
      assert.deepEqual([order.status, order.data.number], [200, 'dry'], order.text)
      assert.deepEqual([await all('order'), stocks(await all('product'))], [[], [5, 9]])
    },
    hooksOf({ order: `{ beforeCreate: (_, tx) => ({ number: tx.dry_run ? 'dry' : 'wet' }) }` }),
  )

  shopTest(
    'before an update they know what changes, and are not called when nothing does',
    async ({ call, seen }) => {
      const { data } = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
      await call('PUT', `order/${data.id}`, { quantity: 2 })
      await call('PUT', `order/${data.id}`, { quantity: 4, price: 5 })
      assert.deepEqual(seen(), [{ before: 2, after: 4, changed: ['quantity'] }])
    },
    hooksOf({
      order: `{ beforeUpdate({ before, record, changed }) {
        globalThis.seen.push({ before: before.quantity, after: record.quantity, changed: [...changed] })
      } }`,
    }),
  )

  shopTest(
    'validate sees the whole record, and its messages are beside those of the model',
    async ({ app, call }) => {
      const refused = await call('POST', 'order', { product_id: 1, price: 5 })
      assert.deepEqual(refused.json, {
        detail: { error: { quantity: ['quantity is mandatory'], number: ['A number, please'] } },
      })
      const writing = await call('POST', 'order', { product_id: 1, quantity: 9, price: 5, number: 'x' })
      assert.equal(writing.status, 500)
      assert.match(String(app.reported.pop()), /hooks\/order\.ts:\d+ validate: validate writes nothing/)
    },
    hooksOf({
      order: `{ validate({ record }, tx) {
        if (record.quantity === 9) tx.system.model('ledger').create({ text: 'no' })
        return record.number == null ? { number: 'A number, please' } : undefined
      } }`,
    }),
  )

  shopTest(
    'hooks of several files run in the order of their names, each on what the others returned',
    async ({ call }) => {
      const { data } = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
      assert.deepEqual([data.number, data.total], ['ab', 7])
    },
    {
      ...hooksOf({ order: `{ beforeCreate: () => ({ number: 'a' }) }` }),
      'hooks/z.ts': `import { defineHooks } from 'admin-folder'
export default defineHooks('order', { beforeCreate: ({ record }) => ({ number: record.number + 'b' }), compute: { total: () => 7 } })
`,
    },
  )

  shopTest(
    'a write of hooks has the rights of the actor, and of the server with `system`',
    async ({ app, call, all, as }) => {
      await call('POST', 'group', {
        name: 'Sellers',
        permissions: await as.permissions('add_order', 'view_order', 'view_product'),
      })
      await as.user('lea', 'Sellers')
      const refused = await call('POST', 'order', { product_id: 1, quantity: 1, price: 5 }, undefined, 'lea')
      assert.equal(refused.status, 403, refused.text)
      assert.deepEqual([await all('order'), stocks(await all('product'))], [[], [5, 9]])
      const allowed = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 }, undefined, 'lea')
      assert.equal(allowed.status, 201, allowed.text)
      assert.deepEqual(stocks(await all('product')), [4, 9])
      assert.deepEqual(app.reported, [])
    },
    hooksOf({
      order: `{ async beforeCreate({ record }, tx) {
        const reach = record.quantity === 1 ? tx : tx.system
        const product = await tx.model('product').read(record.product_id)
        reach.model('product').update(product.id, { stock: product.stock - 1 })
      } }`,
    }),
  )

  shopTest(
    'no record that they get has a secret, and no change of one has an effect',
    async ({ call, seen }) => {
      const { status } = await call('POST', 'user', { username: 'mia', email: 'mia@example.org', password: 'a-long-password' })
      assert.equal(status, 201)
      assert.deepEqual(seen().at(-1), { secret: 'a-long-password', names: [] })
    },
    hooksOf({
      user: `{ async beforeCreate({ record, secrets }, tx) {
        const { data } = await tx.system.model('user').list()
        const first = data.length === 0 ? {} : await tx.system.model('user').read(data[0].id)
        globalThis.seen.push({ secret: secrets.password, names: [record, first].flatMap((each) => Object.keys(each)).filter((name) => name.includes('password')) })
      } }`,
    }),
  )

  shopTest(
    'deletions and their cascades call them',
    async ({ call, all, seen }) => {
      const { data } = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
      await call('POST', 'ledger', { order_id: data.id, text: 'mine' })
      const removed = await call('DELETE', 'product/1')
      assert.equal(removed.status, 200, removed.text)
      assert.deepEqual(seen(), [
        { deleted: 'product', from: null },
        { deleted: 'order', from: 'product' },
        { updated: 'ledger', changed: ['order_id'] },
      ])
      assert.deepEqual(
        (await all('ledger')).map(({ order_id, text }) => [order_id, text]),
        [[null, 'mine, of a deleted order']],
      )
    },
    hooksOf({
      product: `{ beforeDelete: ({ cascade_from }) => void globalThis.seen.push({ deleted: 'product', from: cascade_from ?? null }) }`,
      order: `{ beforeDelete: ({ cascade_from }) => void globalThis.seen.push({ deleted: 'order', from: cascade_from ?? null }) }`,
      ledger: `{ beforeUpdate({ record, changed }) {
        globalThis.seen.push({ updated: 'ledger', changed: [...changed] })
        return { text: record.text + ', of a deleted order' }
      } }`,
    }),
  )

  shopTest(
    'a refused deletion deletes nothing, and a forecast says so',
    async ({ call, all }) => {
      const refused = await call('DELETE', 'product/1')
      assert.deepEqual([refused.status, refused.json.details], [409, 'Pens stay'])
      const forecast = await call('DELETE', 'product/1?dry_run=true')
      assert.equal(forecast.status, 409)
      const bulk = await call('DELETE', 'product/bulk', undefined, { ids: [2, 1] })
      assert.deepEqual([bulk.status, bulk.json.details], [409, '1: Pens stay'])
      assert.equal((await all('product')).length, 2)
    },
    hooksOf({ product: `{ beforeDelete: ({ before }) => before.name === 'Pen' && refuse('Pens stay', 409) }` }),
  )

  shopTest(
    'after the commit they get the changes, with services that reach the API',
    async ({ app, call, all, seen, until }) => {
      const { data } = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
      await until(async () => (await all('ledger')).length === 1)
      assert.deepEqual(seen(), [{ action: 'create', before: null, quantity: 2, read: 5, actor: 'admin', via: 'api' }])
      await call('POST', 'order', { product_id: 1, quantity: 666, price: 5 })
      await until(async () => app.reported.length === 1)
      assert.match(String(app.reported[0]), /hooks\/order\.ts:\d+ afterCommit: late/)
      app.reported.length = 0
      assert.equal((await call('GET', `order/${data.id}`)).status, 200)
    },
    hooksOf({
      order: `{ async afterCommit(changes, ctx) {
        for (const { action, before, after } of changes) {
          if (after.quantity === 666) throw new Error('late')
          const read = await ctx.model('order').read(after.id)
          globalThis.seen.push({ action, before: before ?? null, quantity: after.quantity, read: read.data.price, actor: ctx.actor.username, via: ctx.via })
          await ctx.system.model('ledger').create({ order_id: after.id, text: 'committed' })
        }
      } }`,
    }),
  )

  for (const [name, code] of [
    ['writes', `{ beforeCreate: (_, tx) => void tx.system.model('ledger').create({ text: 'again' }) }`],
    ['writes after commits', `{ async afterCommit(_, ctx) { await ctx.system.model('ledger').create({ text: 'again' }) } }`],
  ]) {
    shopTest(
      `a loop of ${name} ends with its chain`,
      async ({ app, call, all, until }) => {
        const { status, json } = await call('POST', 'ledger', { text: 'first' })
        if (name === 'writes') {
          assert.equal(status, 508)
          assert.match(json.details, /(ledger\.beforeCreate → ){5}ledger\.beforeCreate$/)
          assert.equal((await all('ledger')).length, 0)
        } else {
          assert.equal(status, 201)
          await until(async () => app.reported.length > 0)
          assert.match(String(app.reported[0]), /without end: (hooks\/ledger\.ts afterCommit → ){5}hooks\/ledger\.ts afterCommit/)
          assert.equal((await all('ledger')).length, 6)
        }
        app.reported.length = 0
      },
      hooksOf({ ledger: String(code) }),
    )
  }

  for (const [name, body] of [
    ['throws', `throw new Error('boom')`],
    ['throws late', `await new Promise((resolve) => setTimeout(resolve, 5)); throw new Error('boom')`],
    ['returns an unknown field', `return { nubmer: 'x' }`],
  ]) {
    shopTest(
      `a hook that ${name} is an internal error, which the log places`,
      async ({ app, call, all }) => {
        const failed = await call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
        assert.equal(failed.status, 500)
        assert.doesNotMatch(failed.text, /boom|hooks\//)
        assert.match(String(app.reported[0]), /hooks\/order\.ts:\d+ beforeCreate: /)
        assert.deepEqual(await all('order'), [])
        assert.equal((await call('GET', 'product/1')).status, 200)
        app.reported.length = 0
      },
      hooksOf({ order: `{ async beforeCreate() { ${body} } }` }),
    )
  }

  shopTest(
    'a hook that does not end is over after 5 s, with its signal aborted, and nothing is stored',
    async ({ app, call, all, seen, until }) => {
      const pending = call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
      await until(async () => seen().length === 1)
      app.advance(5000)
      const over = await pending
      assert.deepEqual([over.status, over.json.error], [503, 'Code took too long'])
      assert.match(over.json.details, /hooks\/order\.ts:\d+ beforeCreate took more than 5 s/)
      await until(async () => seen().length === 2)
      assert.deepEqual([seen(), await all('order')], [['begun', 'aborted'], []])
      app.reported.length = 0
    },
    hooksOf({
      order: `{ async beforeCreate(_, tx) {
        globalThis.seen.push('begun')
        tx.signal.addEventListener('abort', () => globalThis.seen.push('aborted'))
        await new Promise(() => {})
      } }`,
    }),
  )

  shopTest(
    'the time of a request holds for its hooks and those of what they write together',
    async ({ app, call, all, seen, until }) => {
      const pending = call('POST', 'order', { product_id: 1, quantity: 2, price: 5 })
      await until(async () => seen().length === 1)
      app.advance(4000)
      await until(async () => seen().length === 2)
      app.advance(4000)
      const over = await pending
      assert.deepEqual([over.status, await all('order')], [503, []], over.text)
      app.reported.length = 0
    },
    hooksOf({
      order: `{ async beforeCreate(_, tx) {
        globalThis.seen.push('order')
        const begun = tx.now().getTime()
        while (tx.now().getTime() < begun + 4000) await new Promise((resolve) => setTimeout(resolve, 5))
        tx.system.model('ledger').create({ text: 'sold' })
      } }`,
      ledger: `{ async beforeCreate(_, tx) {
        globalThis.seen.push('ledger')
        const begun = tx.now().getTime()
        while (tx.now().getTime() < begun + 4000) await new Promise((resolve) => setTimeout(resolve, 5))
      } }`,
    }),
  )

  shopTest('an import calls them for each row', async ({ call, all, app }) => {
    const csv = 'product_id,quantity,price\n1,2,5\n1,3,5\n2,1,1\n'
    const { statusCode, payload } = await app.server.inject({
      ...{ method: 'POST', url: '/api/v1/models/order/import' },
      headers: { authorization: `Bearer ${await app.tokenOf('admin')}`, 'content-type': 'text/csv' },
      payload: csv,
    })
    assert.equal(statusCode, 200, payload)
    assert.deepEqual(stocks(await all('product')), [0, 8])
    assert.deepEqual(
      (await all('order')).map(({ total }) => total),
      [10, 15, 1],
    )
    const again = await app.server.inject({
      ...{ method: 'POST', url: '/api/v1/models/order/import' },
      headers: { authorization: `Bearer ${await app.tokenOf('admin')}`, 'content-type': 'text/csv' },
      payload: csv,
    })
    assert.equal(again.statusCode, 400)
    assert.match(again.payload, /1\.quantity":\["Not in stock/)
    assert.equal((await call('GET', 'order')).json.total, 3)
  })

  shopTest(
    'a hook that has written is validated',
    async ({ call, all }) => {
      const refused = await call('POST', 'order', { product_id: 1, quantity: 6, price: 1 })
      assert.deepEqual([refused.status, refused.json], [400, { detail: { error: { quantity: ['Too many'] } } }])
      const order = await call('POST', 'order', { product_id: 1, quantity: 2, price: 1 })
      assert.equal(order.status, 201, order.text)
      assert.deepEqual(stocks(await all('product')), [4, 9])
    },
    hooksOf({
      order: `{
        beforeCreate(_, tx) { tx.system.model('product').update(1, { stock: 4 }) },
        validate: ({ record }) => (record.quantity > 5 ? { quantity: 'Too many' } : undefined),
      }`,
    }),
  )
})
