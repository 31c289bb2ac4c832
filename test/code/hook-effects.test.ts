import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork, code: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

const ORDER = { product_id: 1, quantity: 2, price: 5 }

describe('what hooks write meets other changes of its transaction', () => {
  shopTest(
    'a record that is written after its hooks have run calls them with what is written, in another run',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      const { status, text } = await call('PUT', 'order/1', { quantity: 3 })
      assert.equal(status, 200, text)
      assert.deepEqual(
        [seen(), (await all('ledger')).length],
        [
          [
            [2, ['quantity']],
            [2, ['quantity', 'number']],
          ],
          1,
        ],
      )
    },
    hooksOf({
      order: `{ beforeUpdate({ record, before, changed }, tx) {
        globalThis.seen.push([before.quantity, [...changed]])
        if (changed.has('quantity')) tx.system.model('ledger').create({ order_id: record.id, text: 'changed' })
      } }`,
      ledger: `{ beforeCreate({ record }, tx) { tx.system.model('order').update(record.order_id, { number: 'in the ledger' }) } }`,
    }),
  )

  shopTest(
    'a record of the request that the hook of an earlier one writes calls its hooks once',
    async ({ call, seen }) => {
      await call('POST', 'order', ORDER)
      await call('POST', 'order', ORDER)
      const updates = [1, 2].map((id) => ({ id, data: { quantity: 3 } }))
      const { status, text } = await call('PUT', 'order/bulk', undefined, { updates })
      assert.equal(status, 200, text)
      // Once it is thrown away, since the first record has changed the second.
      assert.deepEqual(seen(), [1, 2, 2])
    },
    hooksOf({
      order: `{ beforeUpdate({ record }, tx) {
        globalThis.seen.push(record.id)
        if (record.id === 1) tx.system.model('order').update(2, { number: 'first' })
      } }`,
    }),
  )

  shopTest(
    'a hook deletes what the cascade, the request or another hook deletes, too',
    async ({ call, all }) => {
      await call('POST', 'order', ORDER)
      await call('POST', 'order', ORDER)
      await call('POST', 'tag', { name: 'shared' })
      const { status, text } = await call('DELETE', 'product/bulk', undefined, { ids: [1, 2] })
      assert.equal(status, 200, text)
      assert.deepEqual([await all('product'), await all('order'), await all('tag')], [[], [], []])
    },
    hooksOf({
      product: `{ async beforeDelete({ before }, tx) {
        if (before.id === 1) tx.system.model('product').delete(2)
        const { data } = await tx.system.model('order').list({ filters: { product_id: before.id } })
        for (const { id } of data) tx.system.model('order').delete(id)
      } }`,
      order: `{ beforeDelete(_, tx) { tx.system.model('tag').delete(1) } }`,
    }),
  )

  shopTest(
    'a hook takes records out of a cascade before it begins, and what it writes is emptied by set_null',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      await call('POST', 'ledger', { order_id: 1, text: 'sold' })
      const moved = await call('DELETE', 'product/1')
      assert.equal(moved.status, 200, moved.text)
      assert.deepEqual([(await all('order')).map(({ product_id }) => product_id), seen()], [[2], []])
      const deleted = await call('DELETE', 'order/1')
      assert.equal(deleted.status, 200, deleted.text)
      assert.deepEqual([seen(), (await all('ledger'))[0].order_id], [['deleted', ['order_id', 'text']], null])
    },
    hooksOf({
      product: `{ beforeDelete(_, tx) { tx.system.model('order').update(1, { product_id: 2 }) } }`,
      order: `{ beforeDelete(_, tx) { globalThis.seen.push('deleted'); tx.system.model('ledger').update(1, { text: 'gone' }) } }`,
      ledger: `{ beforeUpdate({ changed }) { globalThis.seen.push([...changed].sort()) } }`,
    }),
  )

  shopTest(
    'a hook lifts what restricts a deletion, whose cascades call their hooks',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      await call('POST', 'pin', { product_id: 1 })
      const { status, text } = await call('DELETE', 'product/1')
      assert.equal(status, 200, text)
      assert.deepEqual([(await all('pin'))[0].product_id, seen()], [null, ['product']])
    },
    {
      ...hooksOf({
        product: `{ beforeDelete(_, tx) { tx.system.model('pin').update(1, { product_id: null }) } }`,
        order: `{ beforeDelete({ cascade_from }) { globalThis.seen.push(cascade_from) } }`,
      }),
      'models/pin.yaml': 'name: Pin\nfields:\n  - { name: product_id, type: foreignkey, model: product, on_delete: restrict }\n',
    },
  )

  shopTest(
    'a reference to a new record is a change, also of an empty list, and the last one counts',
    async ({ call, all, seen }) => {
      await call('POST', 'order', ORDER)
      await call('POST', 'ledger', { text: 'free' })
      const { status, text } = await call('PUT', 'order/1', { quantity: 3 })
      assert.equal(status, 200, text)
      const [order] = await all('order')
      const names = (await all('tag')).filter(({ id }) => order.tags.includes(id)).map(({ name }) => name)
      assert.deepEqual(names, ['again'])
      assert.deepEqual([seen(), (await all('ledger'))[0].order_id], [[['order_id']], 2])
    },
    hooksOf({
      order: `{ beforeUpdate({ changed }, tx) {
        if (!changed.has('quantity')) return
        tx.system.model('product').update(1, { stock: 7 })
        return { tags: [tx.system.model('tag').create({ name: 'first' })] }
      } }`,
      product: `{ beforeUpdate(_, tx) {
        tx.system.model('order').update(1, { number: 'again', tags: [tx.system.model('tag').create({ name: 'again' })] })
        const order_id = tx.system.model('order').create({ product_id: 2, quantity: 1, price: 1 })
        tx.system.model('ledger').update(1, { order_id })
      } }`,
      ledger: `{ beforeUpdate({ changed }) { globalThis.seen.push([...changed]) } }`,
    }),
  )

  shopTest(
    'changed has no field that hooks set to the value that it has',
    async ({ call, seen }) => {
      await call('POST', 'order', ORDER)
      await call('PUT', 'order/1', { number: 'z' })
      assert.deepEqual(seen(), [['number']])
    },
    hooksOf({
      order: `{
        compute: { total: ({ quantity, price }) => quantity * price },
        beforeUpdate: () => ({ quantity: 2 }),
        validate({ changed }) { if (changed !== undefined) globalThis.seen.push([...changed]) },
      }`,
    }),
  )

  shopTest(
    'a loop names hooks, not the fields that they compute',
    async ({ app, call }) => {
      const { json } = await call('POST', 'order', ORDER)
      assert.match(json.details, /: (order\.beforeCreate → ){5}order\.beforeCreate$/)
      app.reported.length = 0
    },
    hooksOf({
      order: `{ compute: { total: () => 1 }, beforeCreate(_, tx) { tx.system.model('order').create(${JSON.stringify(ORDER)}) } }`,
    }),
  )
})

describe('what hooks return', () => {
  const doc = {
    'models/doc.yaml':
      'name: Doc\nfields:\n  - { name: title, type: string }\n  - { name: meta, type: json }\n  - { name: at, type: datetime }\n',
  }

  shopTest(
    'is stored as the JSON that it was, with texts for dates',
    async ({ call, all }) => {
      const { status, text } = await call('POST', 'doc', { title: 'x' })
      assert.equal(status, 201, text)
      Object.assign((globalThis as never as { shared: object }).shared, { a: 2 })
      const at = '1970-01-01T00:00:00.000Z'
      assert.deepEqual(await all('doc'), [{ id: 1, title: 'x', meta: { a: 1, at }, at }])
    },
    {
      ...doc,
      ...hooksOf({
        doc: `{ beforeCreate() { globalThis.shared = { a: 1, at: new Date(0) }; return { meta: globalThis.shared, at: new Date(0) } } }`,
      }),
    },
  )

  for (const [name, hook] of [
    ['a value that is no JSON', `beforeCreate: () => ({ meta: 5n })`],
    ['a function', `beforeCreate: () => ({ meta: () => 1 })`],
    ['messages without fields', `validate: () => 'Bad'`],
    ['a message that is no text', `validate: () => ({ title: false })`],
    ['an exception without a prototype', `beforeCreate() { throw Object.create(null) }`],
  ] as const) {
    shopTest(
      `as ${name} is an internal error, which the log places`,
      async ({ app, call, all }) => {
        const { status, json } = await call('POST', 'doc', { title: 'x' })
        assert.deepEqual([status, json.error, await all('doc')], [500, 'Internal server error', []])
        assert.match(String(app.reported.pop()), /hooks\/doc\.ts:\d+ (beforeCreate|validate): /)
      },
      { ...doc, ...hooksOf({ doc: `{ ${hook} }` }) },
    )
  }

  shopTest(
    'may be any thenable',
    async ({ call }) => assert.equal((await call('POST', 'order', ORDER)).data.number, 'later'),
    hooksOf({ order: `{ beforeCreate: () => ({ then: (take) => setImmediate(take, { number: 'later' }) }) }` }),
  )

  shopTest(
    'late is awaited, also when a hook of the same request has thrown',
    async ({ app, call, seen, until }) => {
      const records = [1, 2].map((quantity) => ({ ...ORDER, quantity }))
      assert.equal((await call('POST', 'order/bulk', undefined, { records })).status, 500)
      await until(async () => seen().length === 1)
      assert.match(String(app.reported.pop()), /at once/)
    },
    hooksOf({
      order: `{ beforeCreate({ record }) {
        if (record.quantity === 2) throw new Error('at once')
        return new Promise((_, reject) => setImmediate(() => { globalThis.seen.push('late'); reject(new Error('late')) }))
      } }`,
    }),
  )
})

describe('hooks and accounts', () => {
  const TAKING = hooksOf({
    tag: `{ beforeCreate({ record }, tx) {
      if (record.name === 'delete') tx.model('user').delete(1)
      else tx.model('user').update(1, { password: 'another-password' })
    } }`,
  })
  for (const name of ['update', 'delete']) {
    shopTest(
      `with the rights of the actor, a hook has no way to ${name} a superuser`,
      async ({ call, as }) => {
        await call('POST', 'user', {
          username: 'second',
          email: 's@example.org',
          password: 'a-long-password',
          is_superuser: true,
        })
        const permissions = await as.permissions('add_tag', 'change_user', 'view_user', 'delete_user')
        await call('POST', 'group', { name: 'Staff', permissions })
        await as.user('lea', 'Staff')
        const { status, text } = await call('POST', 'tag', { name }, undefined, 'lea')
        assert.equal(status, 403, text)
      },
      TAKING,
    )
  }

  shopTest(
    'what the actor does not see stays out of its reach when `system` writes it in the same transaction',
    async ({ call, all, as, seen }) => {
      await call('POST', 'group', { name: 'Staff', permissions: await as.permissions('add_tag') })
      await as.user('lea', 'Staff')
      await call('POST', 'note', { owner: 'admin', text: 'hidden' })
      await call('POST', 'note', { owner: 'lea', text: 'read only' })
      for (const name of ['1', '2']) {
        const { status, text } = await call('POST', 'tag', { name }, undefined, 'lea')
        assert.equal(status, name === '1' ? 404 : 403, text)
      }
      assert.deepEqual(
        (await all('note')).map(({ text }) => text),
        ['hidden', 'read only'],
      )
      assert.deepEqual(seen(), [null, 'by system'])
    },
    {
      'hooks/a.ts': `import { defineHooks } from 'admin-folder'
export default defineHooks('tag', {
  beforeCreate({ record }, tx) { tx.system.model('note').update(Number(record.name), { text: 'by system' }) },
})
`,
      'hooks/b.ts': `// @ts-nocheck
import { defineHooks } from 'admin-folder'
export default defineHooks('note', {
  async beforeUpdate({ record, before }, tx) {
    if (record.text !== 'by system') return
    globalThis.seen.push((await tx.model('note').read(record.id))?.text ?? null)
    tx.model('note').update(record.id, { text: 'by the actor' })
  },
})
`,
      'models/note.yaml': `name: Note
access:
  view: self.owner == user.username
  change: self.owner == "admin"
fields:
  - { name: owner, type: string }
  - { name: text, type: string }
`,
    },
  )

  shopTest(
    'a hook of what `system` writes or a cascade deletes has the rights of the actor, too',
    async ({ call, all, as }) => {
      await call('POST', 'group', {
        name: 'Staff',
        permissions: await as.permissions('add_tag', 'view_product', 'delete_product'),
      })
      await as.user('lea', 'Staff')
      await call('POST', 'order', ORDER)
      const created = await call('POST', 'tag', { name: 'x' }, undefined, 'lea')
      const deleted = await call('DELETE', 'product/1', undefined, undefined, 'lea')
      assert.deepEqual([created.status, deleted.status], [403, 403], created.text + deleted.text)
      assert.deepEqual([(await all('product')).length, await all('ledger')], [2, []])
    },
    hooksOf({
      tag: `{ beforeCreate(_, tx) { tx.system.model('ledger').create({ text: 'by system' }) } }`,
      ledger: `{ beforeCreate(_, tx) { tx.model('product').update(2, { stock: 0 }) } }`,
      order: `{ beforeDelete(_, tx) { tx.model('product').update(2, { stock: 0 }) } }`,
    }),
  )

  shopTest(
    'hooks know the password that another hook sets, and each record gets its own',
    async ({ app, call, seen }) => {
      for (const username of ['first', 'second']) {
        await call('POST', 'user', { username, email: `${username}@example.org`, password: 'a-long-password' })
      }
      const data = { is_active: true, is_superuser: true }
      const body = { filters: ['username__in=first,second'], expected_total: 2, data }
      const { status, text } = await call('PUT', 'user/bulk', undefined, body)
      assert.equal(status, 200, text)
      for (const username of ['first', 'second']) {
        const login = { username, password: `password-of-${username}` }
        assert.equal((await app.server.inject({ method: 'POST', url: '/api/v1/auth/token', payload: login })).statusCode, 200)
      }
      await call('POST', 'tag', { name: 'x' })
      assert.deepEqual(seen().at(-1), { password: 'password-by-hook' })
    },
    hooksOf({
      user: `{ beforeUpdate({ record, secrets, changed }) {
        globalThis.seen.push({ ...secrets })
        if (changed.has('is_superuser')) return { password: 'password-of-' + record.username }
      } }`,
      tag: `{ beforeCreate(_, tx) { tx.system.model('user').update(1, { password: 'password-by-hook' }) } }`,
    }),
  )

  shopTest(
    'a login, which the server notes, calls none',
    async ({ app, seen }) => {
      const payload = { username: 'admin', password: 'a-long-password' }
      assert.equal((await app.server.inject({ method: 'POST', url: '/api/v1/auth/token', payload })).statusCode, 200)
      assert.deepEqual(seen(), [])
    },
    hooksOf({
      user: `{ beforeUpdate() { globalThis.seen.push('before') }, afterCommit() { globalThis.seen.push('after') } }`,
    }),
  )
})
