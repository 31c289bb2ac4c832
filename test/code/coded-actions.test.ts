import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { play, type Scenario, send } from '../helpers/api/scenario.ts'
import { testsOf } from '../helpers/tests-of.ts'

const MODELS = '/api/v1/models' as const

const SHOP = `import { defineModel } from 'admin-folder'

export const Order = defineModel({
  name: 'Order',
  fields: [
    { name: 'number', type: 'string', required: true },
    { name: 'status', type: 'choice', choices: ['new', 'sent', 'paid'], default: 'new' },
    { name: 'note', type: 'string', max_length: 20 },
    { name: 'pin', type: 'password' },
  ],
})

export const Parcel = defineModel({
  name: 'Parcel',
  fields: [{ name: 'order_id', type: 'foreignkey', model: 'order' }, { name: 'carrier', type: 'string', required: true }],
})
`

const ACTIONS = `import { defineAction, refuse } from 'admin-folder'
import label from '../jobs/label.ts'
import { Order, Parcel } from '../shop.ts'

const hand = defineAction(Parcel, {
  name: 'hand',
  when: 'self.order.status == "new"',
  async run({ set }) {
    await globalThis.meanwhile()
    set({ carrier: 'by hand' })
  },
})

const print = defineAction(Order, {
  name: 'print',
  async run({ records }, tx) {
    for (const { id } of records) await tx.enqueue(label, { order_id: id })
    if (records.length > 1) refuse('One after the other')
    return undefined
  },
})

const ship = defineAction(Order, {
  name: 'ship',
  when: 'self.status == "new"',
  input: [{ name: 'carrier', type: 'string', required: true }],
  set: { status: 'sent' },
  async run({ records, input, set }, tx) {
    if (input.carrier === 'none') refuse('There is no carrier', 409)
    if (input.carrier === 'unknown') refuse({ carrier: 'Not known' })
    if (input.carrier === 'broken') throw new Error('The printer is on fire')
    if (input.carrier === 'slow') await new Promise(() => {})
    for (const { id, pin } of records) {
      set({ note: 'with ' + input.carrier + (pin ?? '') }, { id })
      tx.system.model('parcel').create({ order_id: id, carrier: input.carrier })
    }
    if (input.carrier === 'long') set({ note: 'a note that is longer than it may be' }, records[0])
    return tx.dry_run ? undefined : records.length + ' on their way'
  },
})

const give = defineAction(Order, {
  name: 'give',
  run: ({ records }, tx) => {
    for (const { id } of records) tx.model('parcel').create({ order_id: id, carrier: 'own' })
    return undefined
  },
})

const foreign = defineAction(Order, { name: 'foreign', run: ({ set }) => void set({ note: 'x' }, { id: 99 }) })

const clear = defineAction(Order, {
  name: 'clear',
  title: 'Clear',
  on: 'model',
  async run(_, tx) {
    const { data, total } = await tx.system.model('parcel').list()
    for (const { id } of data) tx.system.model('parcel').delete(id)
    if (total === 0) tx.system.model('order').create({ number: 'from an action' })
    return undefined
  },
})

export default [hand, print, ship, give, foreign, clear]
`

const HOOKS = `import { defineHooks } from 'admin-folder'
import { Order } from '../shop.ts'

export default defineHooks(Order, {
  beforeUpdate: ({ record }) => (record.note === 'with hooks' ? { note: record.status + ' by a hook' } : undefined),
})
`

const LABEL_JOB = `import { defineJob } from 'admin-folder'

export default defineJob({ name: 'label', input: [{ name: 'order_id', type: 'integer', required: true }], run() {} })
`

const PARCEL_HOOKS = `import { defineHooks } from 'admin-folder'
import { Parcel } from '../shop.ts'

export default defineHooks(Parcel, { beforeCreate: ({ record }) => ({ carrier: record.carrier + '!' }) })
`

const FILES = {
  'shop.ts': SHOP,
  'models/shop.ts': "import { Order, Parcel } from '../shop.ts'\n\nexport default [Order, Parcel]\n",
  'actions/order.ts': ACTIONS,
  'jobs/label.ts': LABEL_JOB,
  'roles/roles.yaml': 'name: Shippers\npermissions: [ship_order, give_order, foreign_order, view_order]\n',
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }
- { username: pat, email: pat@example.org, password: a-long-password, groups: [{ name: Shippers }] }
`,
  'seed/order.yaml': '- { number: "1", pin: harbour-9 }\n- { number: "2" }\n- { number: "3", status: paid }\n',
}

const testsWith = (files: Readonly<Record<string, string>>) =>
  testsOf(async (work: (app: TestApp) => Promise<void>) => {
    await using app = await openTestApp({ files, settings: { history: { days: 9 } } })
    await work(app)
  })

const actionTest = testsWith(FILES)
const hooksTest = testsWith({ ...FILES, 'hooks/order.ts': HOOKS, 'hooks/parcel.ts': PARCEL_HOOKS })

const act = (path: string): Scenario['request'] => `POST ${MODELS}/${path}`

const rows = async (app: TestApp, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await play(app, { request: `GET ${MODELS}/${path}`, status: 200 })).json.data

const by = (carrier: string) => ({ input: { carrier } })

describe('the code of an action', () => {
  actionTest('sets fields, writes other records and returns a message', async (app) => {
    const body = { ids: [1, 2], ...by('post') }
    const { json } = await play(app, { request: act('order/actions/ship'), as: 'pat', body, status: 200 })
    assert.equal(json.message, '2 on their way')
    assert.deepEqual(
      json.data.map(({ id, status, note }: Record<string, unknown>) => [id, status, note]),
      [
        [1, 'sent', 'with post'],
        [2, 'sent', 'with post'],
      ],
    )
    assert.deepEqual(
      (await rows(app, 'parcel')).map(({ order_id, carrier }) => [order_id, carrier]),
      [
        [1, 'post'],
        [2, 'post'],
      ],
    )
    const vias = [...(await rows(app, 'order/1/history')), ...(await rows(app, 'parcel/1/history'))].map(({ via }) => via)
    assert.deepEqual(vias, ['action', 'action'])
    assert.deepEqual(app.reported, [])
  })

  actionTest('changes nothing in a dry run', async (app) => {
    const request = act('order/1/actions/ship?dry_run=true')
    const { json } = await play(app, { request, as: 'pat', body: by('post'), status: 200, events: {} })
    assert.deepEqual([json.message, json.data[0].note], ['Ship: 1 record', 'with post'])
    assert.deepEqual(await rows(app, 'parcel'), [])
  })

  actionTest('refuses, and then nothing is stored', async (app) => {
    for (const [carrier, status, details] of [
      ['none', 409, /There is no carrier/],
      ['unknown', 400, /"input\.carrier":\["Not known"\]/],
      ['long', 400, /"0\.note":/],
      ['broken', 500, /Internal server error/],
    ] as const) {
      const reply = await send(app, { request: act('order/actions/ship'), as: 'pat', body: { ids: [1, 2], ...by(carrier) } })
      assert.equal(reply.status, status, reply.text)
      assert.match(reply.text, details)
      assert.doesNotMatch(reply.text, /fire|harbour/)
    }
    assert.deepEqual(
      (await rows(app, 'order')).map(({ status }) => status),
      ['new', 'new', 'paid'],
    )
    assert.deepEqual(await rows(app, 'parcel'), [])
    assert.match(String(app.reported[0]), /actions\/order\.ts:\d+ ship: The printer is on fire/)
  })

  actionTest('has 30 s', async (app) => {
    const pending = send(app, { request: act('order/1/actions/ship'), as: 'pat', body: by('slow') })
    while (!app.time.waits().includes(30_000)) await new Promise(setImmediate)
    app.advance(30_000)
    const { status, text } = await pending
    assert.equal(status, 503, text)
  })

  actionTest('is not called for a record for which the condition is false, or without the permission', async (app) => {
    await play(app, { request: act('order/actions/ship'), as: 'pat', body: { ids: [1, 3], ...by('broken') }, status: 409 })
    await play(app, { request: act('order/actions/clear'), as: 'pat', status: 403 })
    assert.deepEqual(app.reported, [])
  })

  actionTest('is called for no record whose condition a change of a related record makes false meanwhile', async (app) => {
    await play(app, { request: act('parcel'), body: { data: { order_id: 1, carrier: 'post' } }, status: 201 })
    let runs = 0
    const meanwhile = async () => {
      runs++
      await app.app.records.update(SYSTEM, 'order', 1, { data: { status: 'sent' } })
    }
    Object.assign(globalThis, { meanwhile })
    await play(app, { request: act('parcel/1/actions/hand'), status: 409 })
    assert.deepEqual([runs, (await rows(app, 'parcel'))[0]?.carrier], [1, 'post'])
  })

  actionTest('writes with the rights of the actor, unless it says system', async (app) => {
    await play(app, { request: act('order/1/actions/give'), as: 'pat', status: 403 })
    await play(app, { request: act('order/1/actions/give'), status: 200, expectPart: { message: 'Give: 1 record' } })
    assert.deepEqual(
      (await rows(app, 'parcel')).map(({ carrier }) => carrier),
      ['own'],
    )
  })

  actionTest('sets nothing of other records', async (app) => {
    await play(app, { request: act('order/1/actions/foreign'), as: 'pat', status: 500 })
    assert.match(String(app.reported[0]), /set takes one of the records of the action/)
  })

  actionTest('takes at most 1,000 records', async (app) => {
    const body = { filters: [], expected_total: 1001, ...by('post') }
    const { text } = await play(app, { request: act('order/actions/ship'), as: 'pat', body, status: 400 })
    assert.match(text, /at most 1000 records, not 1001/)
  })

  actionTest('may be of the model, without records', async (app) => {
    await play(app, { request: act('order/actions/ship'), body: { ids: [1, 2], ...by('post') }, status: 200 })
    const { json } = await play(app, { request: act('order/actions/clear'), status: 200 })
    assert.deepEqual(json, { message: 'Clear', data: [], total: 0 })
    assert.deepEqual(await rows(app, 'parcel'), [])
    await play(app, { request: act('order/actions/clear'), status: 200 })
    assert.equal((await rows(app, 'order')).at(-1)?.number, 'from an action')
    await play(app, { request: act('order/actions/clear'), body: { ids: [1] }, status: 400 })
    await play(app, { request: act('order/1/actions/clear'), status: 400 })
  })

  actionTest('stores jobs with what it writes, or none', async (app) => {
    const jobs = async () =>
      (await play(app, { request: 'GET /api/v1/jobs', status: 200 })).json.data.map(
        ({ name, input }: { name: string; input: object }) => [name, input],
      )
    await play(app, { request: act('order/actions/print'), body: { ids: [1, 2] }, status: 400 })
    await play(app, { request: act('order/1/actions/print?dry_run=true'), status: 200 })
    assert.deepEqual(await jobs(), [])
    await play(app, { request: act('order/1/actions/print'), status: 200 })
    assert.deepEqual(await jobs(), [['label', { order_id: 1 }]])
  })

  hooksTest('comes before the hooks of its records, and of those that it creates', async (app) => {
    const { json } = await play(app, { request: act('order/1/actions/ship'), as: 'pat', body: by('hooks'), status: 200 })
    assert.equal(json.data[0].note, 'sent by a hook')
    assert.deepEqual(
      (await rows(app, 'parcel')).map(({ carrier }) => carrier),
      ['hooks!'],
    )
  })

  actionTest('runs once for 16 who ask at the same time', async (app) => {
    const replies = await Promise.all(
      Array.from({ length: 16 }, () => send(app, { request: act('order/1/actions/ship'), as: 'pat', body: by('post') })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array.from({ length: 15 }, () => 409)])
    assert.equal((await rows(app, 'parcel')).length, 1)
  })
})
