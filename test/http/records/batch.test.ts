import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_SEED, openTestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, FORBIDDEN, fieldErrors, UNAUTHENTICATED } from './expected.ts'

const USERS = `- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }
- { username: clerk, email: clerk@example.org, password: a-long-password, permissions: [1, 2] }
`

const FILES = {
  'models/order.yaml': `name: Order
display_field: number
timestamps: true
fields:
  - { name: number, type: string, required: true, unique: true }
  - { name: status, type: choice, choices: [open, sent], default: open }
  - { name: main_line_id, type: foreignkey, model: line, on_delete: set_null }
  - { name: tags, type: many_to_many, model: tag }
`,
  'models/line.yaml': `name: Line
fields:
  - { name: order_id, type: foreignkey, model: order, required: true, on_delete: cascade }
  - { name: product, type: string, required: true }
  - { name: quantity, type: integer, gte: 1 }
  - { name: extra, type: json }
`,
  'models/memo.yaml': `name: Memo
fields:
  - { name: order_id, type: foreignkey, model: order, on_delete: set_null }
  - { name: text, type: string, required: true }
`,
  'models/invoice.yaml': `name: Invoice
fields:
  - { name: order_id, type: foreignkey, model: order, required: true, on_delete: restrict }
`,
  'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string, required: true, unique: true }\n',
  'views/forms.yaml': `- name: OrderForm
  view_type: form
  model: Order
  fields: [{ name: number, options: { min_length: 3 } }]
  allowed_update_fields: [number]
- name: LineForm
  view_type: form
  model: Line
  fields: [{ name: order_id, required: true }, { name: product, required: true }, { name: quantity }]
  rules: [{ field: product, rule: self.order_id > 0, message: belongs to an order }]
`,
  ...ADMIN_SEED,
  'seed/permission.yaml': '- { codename: add_order, name: Add orders }\n- { codename: change_order, name: Change orders }\n',
  'seed/user.yaml': USERS,
  'seed/tag.yaml': '- { name: red }\n- { name: blue }\n',
  'seed/order.yaml': '- { number: A-1, tags: [1] }\n- { number: A-2 }\n- { number: A-3 }\n',
  'seed/line.yaml':
    '- { order_id: 1, product: pen, quantity: 1 }\n- { order_id: 1, product: ink, quantity: 2 }\n- { order_id: 2, product: cap }\n',
  'seed/memo.yaml': '- { order_id: 1, text: call }\n',
  'seed/invoice.yaml': '- { order_id: 3 }\n',
}

const API = '/api/v1' as const
const BATCH = `POST ${API}/batch` as const

type Sent = Readonly<Record<string, unknown>>

const create = (model: string, data: Sent, more: Sent = {}) => ({ method: 'create', model, data, ...more })
const update = (model: string, id: number, data: Sent, more: Sent = {}) => ({ method: 'update', model, id, data, ...more })
const remove = (model: string, id: number, more: Sent = {}) => ({ method: 'delete', model, id, ...more })

/** A batch that is answered with 200. */
const done = (name: string, operations: readonly unknown[], rest: Partial<Scenario> = {}): Scenario =>
  scenario(name, BATCH, 200, { body: { operations }, ...rest })

/** A batch that is refused with messages by operation, and changes nothing. */
const refused = (name: string, operations: readonly unknown[], error: Readonly<Record<string, readonly string[]>>): Scenario =>
  scenario(name, BATCH, 400, { body: { operations }, expect: fieldErrors(error) })

const listed = (app: Parameters<NonNullable<Scenario['check']>>[1], model: string) =>
  dataOf(app, `GET ${API}/models/${model}?page_size=100`)

scenarios('a batch', { files: FILES, settings: { history: { days: 90 } } }, [
  done(
    'creates an order with its lines, and answers in the order of the operations',
    [
      create('tag', { name: 'green' }, { ref: 'green' }),
      create('order', { number: 'A-4', tags: [2, { $ref: 'green' }, 1] }, { ref: 'order' }),
      create('line', { order_id: { $ref: 'order' }, product: 'pen', quantity: 2 }),
      create('line', { order_id: { $ref: 'order' }, product: 'ink', extra: { $ref: 'as it is' } }),
    ],
    {
      events: { 'create tag': 1, 'create order': 1, 'create line': 2, 'create historyentry': 4 },
      expectPart: { total: 4 },
      check: async ({ json: { data } }, app) => {
        assert.deepEqual(data[0], { id: 3, name: 'green' })
        assert.deepEqual(
          data[1].tags.map(({ id }: { id: number }) => id),
          [2, 3, 1],
        )
        assert.equal(data[2].order.number, 'A-4')
        assert.deepEqual(data[3].extra, { $ref: 'as it is' })
        assert.equal((await listed(app, 'line')).length, 5)
        const next = await dataOf(app, `POST ${API}/models/order`, { body: { data: { number: 'A-5' } }, status: 201 })
        assert.equal(next.id, data[1].id + 1)
      },
    },
  ),
  done(
    'mixes creations, changes and deletions of several models',
    [
      remove('line', 2),
      create('line', { order_id: 1, product: 'cap' }, { ref: 'first' }),
      update('order', 1, { status: 'sent', main_line_id: { $ref: 'first' } }, { ref: 'changed' }),
      create('memo', { order_id: { $ref: 'changed' }, text: 'sent' }),
    ],
    {
      events: { 'delete line': 1, 'create line': 1, 'update order': 1, 'create memo': 1, 'create historyentry': 4 },
      check: ({ json: { data } }) => {
        assert.deepEqual([data[0].product, data[2].main_line.product, data[3].order.id], ['ink', 'cap', 1])
      },
    },
  ),
  ...[
    [remove('order', 1), remove('line', 1), remove('line', 2)],
    [remove('line', 2), remove('order', 1), remove('line', 1)],
  ].map((operations, index) =>
    done(`deletes an order and its lines in any order (${index + 1})`, operations, {
      events: { 'delete order': 1, 'delete line': 2, 'update memo': 1, 'create historyentry': 4 },
      check: async ({ json: { data, total } }) => {
        assert.equal(total, 3)
        assert.deepEqual(
          data.map(({ id }: { id: number }) => id),
          operations.map(({ id }) => id),
        )
      },
    }),
  ),
  done(
    'moves a line away from an order that it deletes',
    [
      create('order', { number: 'A-4' }, { ref: 'other' }),
      update('line', 1, { order_id: { $ref: 'other' } }),
      remove('order', 1),
    ],
    {
      check: async (_, app) => {
        const lines = await listed(app, 'line')
        assert.deepEqual(
          lines.map((line: { id: number; order: { number: string } }) => [line.id, line.order.number]),
          [
            [1, 'A-4'],
            [3, 'A-2'],
          ],
        )
      },
    },
  ),
  done('swaps unique values', [update('order', 1, { number: 'A-2' }), update('order', 2, { number: 'A-1' })]),
  done('gives entity tags when asked', [], {
    body: { operations: [create('tag', { name: 'green' }), remove('tag', 2)], etags: true },
    check: async ({ json: { etags } }, app) => {
      const { headers } = await play(app, { request: `GET ${API}/models/tag/3`, status: 200 })
      assert.deepEqual([etags[0], etags[1]], [`${String(headers.etag).split('.')[0]}"`, null])
    },
  }),
  done('takes no operations', [], { expect: { data: [], total: 0 }, events: {} }),
  scenario('rehearses', `${BATCH}?dry_run=true`, 200, {
    body: {
      operations: [
        create('order', { number: 'A-4' }, { ref: 'order' }),
        create('line', { order_id: { $ref: 'order' }, product: 'pen' }),
        remove('memo', 1),
      ],
    },
    events: {},
    check: async ({ json: { data } }, app) => {
      assert.deepEqual([data[0].number, data[1].product, data[2].text], ['A-4', 'pen', 'call'])
      assert.deepEqual([(await listed(app, 'line')).length, (await listed(app, 'memo')).length], [3, 1])
      const next = await dataOf(app, `POST ${API}/models/order`, { body: { data: { number: 'A-4' } }, status: 201 })
      assert.equal(next.id, 4)
    },
  }),
  done(
    'validates by forms, which see the ids of earlier operations',
    [
      create('order', { number: 'A-4' }, { ref: 'order', form_id: 'OrderForm' }),
      create('line', { order_id: { $ref: 'order' }, product: 'pen' }, { form_id: 'LineForm' }),
    ],
    { expectPart: { total: 2 } },
  ),
])

scenarios('a batch that is refused', { files: FILES, settings: { history: { days: 90 } } }, [
  refused(
    'names each failing field by the operation',
    [
      create('order', { number: 'A-1' }),
      create('order', { colour: 'red' }),
      update('line', 1, { quantity: 0 }),
      create('line', { order_id: 77, product: 'pen' }),
    ],
    {
      '0.number': ['number must be unique'],
      '1.colour': ["Field 'colour' does not exist"],
      '1.number': ['number is mandatory'],
      '2.quantity': ['quantity must be greater than or equal to 1'],
      '3.order_id': ['order_id references a non-existent record'],
    },
  ),
  refused(
    'names refs that are unknown, later, of the operation itself, of another model, malformed or taken',
    [
      create('line', { order_id: { $ref: 'ordr' }, product: 'a' }),
      create('line', { order_id: { $ref: 'order' }, product: 'b' }, { ref: 'line' }),
      create('order', { number: 'A-4', main_line_id: { $ref: 'order' } }, { ref: 'order' }),
      create('line', { order_id: { $ref: 'line' }, product: 'c' }),
      create('order', { number: 'A-5', tags: [1, { $ref: 1 }, { $ref: 'line', id: 2 }] }),
    ],
    {
      '0.order_id': ["order_id refers to 'ordr', which is the ref of no operation; did you mean 'order'?"],
      '1.order_id': ["order_id refers to 'order', which is the ref of operation 2; put that operation before this one"],
      '2.main_line_id': [
        "main_line_id refers to 'order', which is the ref of this operation; only earlier ones can be referred to",
      ],
      '3.order_id': ["order_id refers to 'line', which is a line, not a order"],
      '4.tags': ['tags must name an earlier operation as {"$ref": "its ref"} and nothing else'],
    },
  ),
  refused(
    'names faults of the operations themselves',
    [
      { method: 'creat', model: 'order', data: {} },
      { model: 'order' },
      create('order', {}, { id: 4, colour: 1, ref: '' }),
      { method: 'update', model: 'order', id: '1' },
      remove('order', 1, { data: {}, if_match: 'x' }),
      7,
      { method: 'delete', model: 'order' },
      create('tag', { name: 'x' }, { ref: 'twice' }),
      create('tag', { name: 'y' }, { ref: 'twice', form_id: 1 }),
    ],
    {
      '0.method': ["method must be one of create, update, delete; did you mean 'create'?"],
      '1.method': ['method is mandatory'],
      '2.id': ["'id' is not part of this operation (known to create: method, model, data, form_id, ref)"],
      '2.colour': ["'colour' is not part of this operation (known to create: method, model, data, form_id, ref)"],
      '2.ref': ['ref must be a text of 1 to 100 characters'],
      '3.id': ['id must be an integer'],
      '3.data': ['data is mandatory'],
      '4.data': ["'data' is not part of this operation (known to delete: method, model, id, if_match)"],
      '4.if_match': ['if_match must be an entity tag in its quotes, as ETag gives it, or *'],
      '5': ['operations[5] must be an object'],
      '6.id': ['id is mandatory'],
      '8.ref': ["'twice' is the ref of operation 7 already; each operation has its own"],
      '8.form_id': ['form_id must be a string'],
    },
  ),
  refused(
    'names models, forms and fields that a request cannot name',
    [
      create('ordre', {}),
      create('line', { order_id: 1, product: 'x' }, { form_id: 'OrderForm' }),
      update('order', 1, { status: 'sent' }, { form_id: 'OrderForm' }),
      create('historyentry', {}),
    ],
    {
      '0.model': ["Model 'ordre' does not exist; did you mean 'order'?"],
      '1.form_id': ["Form 'OrderForm' is no form of Line; did you mean 'LineForm'?"],
      '2.status': ["Field 'status' is not allowed to be updated"],
      '3.model': ["Model 'historyentry' does not exist"],
    },
  ),
  refused(
    'names records that do not exist, have changed, or that two operations change',
    [
      update('order', 9, {}),
      remove('line', 1, { if_match: '"old"' }),
      remove('memo', 8),
      update('tag', 1, {}, { if_match: '*' }),
    ],
    {
      '0.id': ['Order with ID 9 does not exist'],
      '1.if_match': ['Line with ID 1 has changed since it was read; read it again and retry'],
      '2.id': ['Memo with ID 8 does not exist'],
    },
  ),
  refused('refuses a record that two operations name', [update('order', 1, {}), remove('line', 1), remove('order', 1)], {
    '2.id': ['Order with ID 1 is that of operation 0 already; put both changes into one operation'],
  }),
  refused('refuses to change what an earlier deletion deletes', [remove('order', 1), update('line', 1, { quantity: 5 })], {
    '1.id': ['An earlier deletion of this request deletes the record with ID 1; put this operation before it'],
  }),
  refused('refuses to change what an earlier deletion changes', [remove('order', 1), update('memo', 1, { text: 'x' })], {
    '1.id': ['An earlier deletion of this request changes the record with ID 1; put this operation before it'],
  }),
  refused(
    'refuses references to what an earlier operation deletes',
    [remove('order', 1), create('memo', { order_id: 1, text: 'x' })],
    {
      '1.order_id': ['order_id references a non-existent record'],
    },
  ),
  scenario('is a 409 for a record that others refer to', BATCH, 409, {
    body: { operations: [update('order', 1, { status: 'sent' }), remove('order', 3)] },
    expectPart: { details: 'Order with ID 3 is referenced by 1 invoice record (order_id)' },
    events: {},
  }),
  done('allows it if the batch deletes them too', [remove('order', 3), remove('invoice', 1)]),
  scenario('refuses more than 1,000 operations', BATCH, 400, {
    body: { operations: Array.from({ length: 1001 }, () => ({})) },
    expect: fieldErrors({ operations: ['operations must hold at most 1000 items, not 1001'] }),
  }),
  scenario('refuses a body without operations', BATCH, 400, {
    body: { operation: [] },
    expect: fieldErrors({ operations: ['operations is mandatory'] }),
  }),
  scenario('refuses unknown members', BATCH, 400, {
    body: { operations: [], dry_run: true },
    expect: fieldErrors({ dry_run: ["'dry_run' is not part of this request (known: operations, etags)"] }),
  }),
  scenario('needs a token', BATCH, 401, { as: null, body: { operations: [] }, expect: UNAUTHENTICATED }),
  scenario('needs the permission of each operation', BATCH, 403, {
    as: 'clerk',
    body: { operations: [create('order', { number: 'A-4' }), create('memo', { text: 'x' })] },
    expect: FORBIDDEN,
    events: {},
  }),
])

test('the history, webhooks and access conditions of a batch are those of its operations', async () => {
  const access = {
    ...FILES,
    'models/note.yaml': `name: Note
fields:
  - { name: text, type: string, required: true }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id } }
access: { view: authenticated, add: authenticated, change: self.owner_id == user.id, delete: self.owner_id == user.id }
`,
    'models/remark.yaml': `name: Remark
fields:
  - { name: note_id, type: foreignkey, model: note, required: true, on_delete: cascade }
access: { view: authenticated, add: self.note.owner_id == user.id }
`,
    'seed/note.yaml': '- { text: of the admin, owner_id: 1 }\n- { text: of the clerk, owner_id: 2 }\n',
  }
  await using app = await openTestApp({ files: access, settings: { history: { days: 90 } } })
  const url = 'http://127.0.0.1:9/'
  await play(app, { request: `POST ${API}/webhooks`, body: { url, models: ['note', 'remark'] }, status: 201 })
  const batch = (operations: readonly unknown[], status: number) =>
    play(app, { request: BATCH, as: 'clerk', body: { operations }, status })
  const own = [create('note', { text: 'new' }, { ref: 'note' }), create('remark', { note_id: { $ref: 'note' } })]
  for (const foreign of [update('note', 1, { text: 'x' }), remove('note', 1), create('remark', { note_id: 1 })]) {
    const refused = await batch([...own, foreign], 403)
    assert.deepEqual(refused.json, FORBIDDEN)
  }
  assert.equal((await listed(app, 'note')).length, 2)
  await batch([...own, update('note', 2, { text: 'changed' })], 200)
  const { data: entries } = (await play(app, { request: `GET ${API}/history`, status: 200 })).json
  const ofBatch = entries.slice(0, 3)
  assert.deepEqual(ofBatch.map(({ model, action }: Sent) => `${action} ${model}`).sort(), [
    ...['create note', 'create remark', 'update note'],
  ])
  assert.equal(new Set(ofBatch.map(({ request_id }: Sent) => request_id)).size, 1)
  assert.ok(
    ofBatch.every(({ user, via }: { user: { username: string }; via: string }) => user.username === 'clerk' && via === 'api'),
  )
  const { records: events } = await app.app.store.find('webhookevent', { filters: [], sort: [], offset: 0, limit: 10 })
  assert.deepEqual(events.map(({ event, model }) => `${event} ${model}`).sort(), ['create note', 'create remark', 'update note'])
  // No condition concerns the records of an administrator.
  const { data: made } = (
    await play(app, { request: BATCH, body: { operations: [...own, create('note', { text: 'x' })] }, status: 200 })
  ).json
  const names = ['note', 'remark', 'note'].map((model, index) => `create ${model} ${made[index].id}`).sort()
  const { data: latest } = (await play(app, { request: `GET ${API}/history`, status: 200 })).json
  const kept = latest.slice(0, 3).map(({ action, model, record_id: id }: Sent) => `${action} ${model} ${id}`)
  assert.deepEqual(kept.sort(), names)
  const { records: all } = await app.app.store.find('webhookevent', { filters: [], sort: [], offset: 0, limit: 10 })
  const told = all.slice(3).map(({ event, model, data }) => `${event} ${model} ${JSON.parse(String(data)).id}`)
  assert.deepEqual(told.sort(), names)
})
