import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorOf } from '../../../src/client/admin-error.ts'
import { brokenConstraints } from '../../../src/records/outcomes.ts'
import { compileForm } from '../../../src/validate/form.ts'
import { FieldIssues } from '../../../src/validate/issues.ts'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Scenario, send } from '../../helpers/api/scenario.ts'
import { registryOf } from '../../model/models.ts'

// The messages are written out as the specification words them. Nothing here is computed from the code that makes them.

const MODEL = `
name: Lamp
label: Lamps
fields:
  - { name: title, type: string, label: Headline, required: true, min_length: 3, max_length: 12 }
  - { name: sku, type: slug, label: Article number, unique: true }
  - { name: code, type: string, label: Shelf, pattern: '^[A-Z]+$' }
  - { name: contact, type: email, label: E-mail }
  - { name: page, type: url, label: Web page }
  - { name: price, type: number, label: Amount, gt: 0, lt: 100 }
  - { name: watts, type: integer, label: Power, gte: 1, lte: 60 }
  - { name: in_stock, type: boolean, label: Available }
  - { name: made_on, type: date, label: Day }
  - { name: opens_at, type: time, label: Hour }
  - { name: sold_at, type: datetime, label: Moment }
  - { name: colour, type: choice, label: Paint, choices: [red, green] }
  - { name: rooms, type: multichoice, label: Places, choices: [hall, attic] }
  - { name: maker_id, type: foreignkey, label: Producer, model: user }
  - { name: fans, type: many_to_many, label: Admirers, model: user }
`

const NAMES = [
  ...['title', 'sku', 'code', 'contact', 'page', 'price', 'watts', 'in_stock', 'made_on', 'opens_at', 'sold_at'],
  ...['colour', 'rooms', 'maker_id', 'fans'],
]

/** Titles that are other words than the names, so that one in a message shows. */
const FORM = {
  name: 'LampForm',
  view_type: 'form',
  model: 'Lamp',
  fields: NAMES.map((name) => ({ name, title: `The ${name.split('_')[0]} of the lamp` })),
}

/** Members of a record, and the message of the specification about the first of them. */
const ROWS: readonly (readonly [fault: string, data: Readonly<Record<string, unknown>>, message: string])[] = [
  ['a null for a required field', { title: null }, 'title is mandatory'],
  ['a number for a text', { title: 7 }, 'title must be a string'],
  ['a text for a number', { price: 'cheap' }, 'price must be a number'],
  ['a text for a boolean', { in_stock: 'perhaps' }, 'in_stock must be a boolean'],
  ['a text for an integer', { watts: 'many' }, 'watts must be an integer'],
  ['a fraction for an integer', { watts: 1.5 }, 'watts must be an integer'],
  ['a text that is too short', { title: 'ab' }, 'title must be at least 3 characters long'],
  ['a text that is too long', { title: 'abcdefghijklm' }, 'title must be at most 12 characters long'],
  ['a number at gt', { price: 0 }, 'price must be greater than 0'],
  ['a number at lt', { price: 100 }, 'price must be less than 100'],
  ['a number below gte', { watts: 0 }, 'watts must be greater than or equal to 1'],
  ['a number above lte', { watts: 61 }, 'watts must be less than or equal to 60'],
  ['another pattern', { code: 'a1' }, 'code format is invalid'],
  ['no e-mail address', { contact: 'nobody' }, 'contact format is invalid'],
  ['no address of a page', { page: 'here' }, 'page format is invalid'],
  ['no slug', { sku: 'a b' }, 'sku format is invalid'],
  ['no day', { made_on: '2026-02-30' }, 'made_on must be a valid date'],
  ['no hour', { opens_at: '25:00' }, 'opens_at must be a valid time'],
  ['no moment', { sold_at: 'soon' }, 'sold_at must be a valid datetime'],
  ['another choice', { colour: 'blue' }, 'colour must be one of: red, green'],
  ['one value for several', { rooms: 'hall' }, 'rooms must be an array'],
  ['one link for several', { fans: 1 }, 'fans must be an array'],
  ['a value that another record has', { sku: 'taken' }, 'sku must be unique'],
  ['a reference to no record', { maker_id: 99 }, 'maker_id references a non-existent record'],
  ['a link to no record', { fans: [99] }, 'fans references a non-existent record'],
]

const LAMPS = '/api/v1/models/lamp'
const VALID = { title: 'Table lamp' }
/** Ids of the stored records: one that is changed, and one whose value is taken. */
const [CHANGED, TAKEN] = [1, 2] as const

interface Way {
  readonly name: string
  /** What precedes the name of a field in the keys of the errors. */
  readonly prefix: string
  readonly request: (data: Readonly<Record<string, unknown>>, form: { form_id?: string }) => Omit<Scenario, 'name' | 'status'>
}

const WAYS: readonly Way[] = [
  {
    name: 'create',
    prefix: '',
    request: (data, form) => ({ request: `POST ${LAMPS}`, body: { data: { ...VALID, ...data }, ...form } }),
  },
  { name: 'update', prefix: '', request: (data, form) => ({ request: `PUT ${LAMPS}/${CHANGED}`, body: { data, ...form } }) },
  {
    name: 'bulk create',
    prefix: '1.',
    request: (data, form) => ({ request: `POST ${LAMPS}/bulk`, body: { records: [VALID, { ...VALID, ...data }], ...form } }),
  },
  {
    name: 'bulk update',
    prefix: '0.',
    request: (data, form) => ({ request: `PUT ${LAMPS}/bulk`, body: { updates: [{ id: CHANGED, data }], ...form } }),
  },
  {
    name: 'bulk update by filters',
    prefix: `${CHANGED}.`,
    request: (data, form) => ({
      request: `PUT ${LAMPS}/bulk`,
      body: { filters: [`id=${CHANGED}`], expected_total: 1, data, ...form },
    }),
  },
  {
    name: 'import',
    prefix: '2.',
    request: (data, { form_id }) => ({
      request: `POST ${LAMPS}/import${form_id === undefined ? '' : `?form_id=${form_id}`}`,
      headers: { 'content-type': 'application/json' },
      rawBody: JSON.stringify([VALID, { ...VALID, ...data }]),
    }),
  },
  {
    name: 'import that updates',
    prefix: '1.',
    request: (data, { form_id }) => ({
      request: `POST ${LAMPS}/import?upsert_by=id${form_id === undefined ? '' : `&form_id=${form_id}`}`,
      headers: { 'content-type': 'application/json' },
      rawBody: JSON.stringify([{ id: CHANGED, ...data }]),
    }),
  },
]

const FORMS = [{}, { form_id: FORM.name }]

const open = (settings = '') =>
  openTestApp({
    files: {
      'admin.config.yaml': `rate_limits: { upload: 0 }\n${settings}`,
      'models/lamp.yaml': MODEL,
      'views/lamp.json': JSON.stringify(FORM),
      ...ADMIN_SEED,
      'seed/lamp.yaml': `- { id: ${CHANGED}, title: Floor lamp }\n- { id: ${TAKEN}, title: Ceiling, sku: taken }\n`,
    },
  })

describe('messages in the words of the specification', () => {
  let app: TestApp
  before(async () => {
    app = await open()
  })
  after(() => app.close())

  for (const { name, prefix, request } of WAYS) {
    for (const form of FORMS) {
      describe(`${name}, ${form.form_id === undefined ? 'without a form' : 'under a form with titles'}`, () => {
        for (const [fault, data, message] of ROWS) {
          test(fault, async () => {
            const { status, json } = await send(app, request(data, form))
            assert.equal(status, 400)
            const key = `${prefix}${Object.keys(data)[0]}`
            assert.deepEqual(json, { detail: { error: { [key]: [message] } } })
            const error = (await errorOf(Response.json(json, { status }))).titled((field) => `The ${field}`)
            assert.deepEqual(error.fieldErrors, { [key]: [`The ${message}`] })
          })
        }
      })
    }
  }

  for (const form of FORMS) {
    test(`a create without a required field, ${form.form_id ?? 'without a form'}`, async () => {
      const { json } = await send(app, { request: `POST ${LAMPS}`, body: { data: {}, ...form } })
      assert.deepEqual(json, { detail: { error: { title: ['title is mandatory'] } } })
    })
  }
})

test('Shape B of the status 422 has the same messages', async () => {
  const app = await open('validation_status: 422\n')
  try {
    for (const form of FORMS) {
      const body = { data: { title: 'ab', watts: 61 }, ...form }
      const { status, json } = await send(app, { request: `POST ${LAMPS}`, body })
      assert.deepEqual([status, json.error], [422, 'Validation failed'])
      const watts = ['watts must be less than or equal to 60']
      assert.deepEqual(json.details, { title: ['title must be at least 3 characters long'], watts })
    }
  } finally {
    await app.close()
  }
})

describe('messages about constraints of the storage', () => {
  const rows = [
    ['not_null', 'title is mandatory'],
    ['unique', 'title must be unique'],
    ['foreign_key', 'title references a non-existent record'],
    ['check', 'title value violates constraint'],
  ] as const
  const model = registryOf({ name: 'Lamp', fields: [{ name: 'title', type: 'string', label: 'Headline' }] }).expect('lamp')
  const { form } = compileForm({ name: 'LampForm', fields: [{ name: 'title', title: 'Name of the lamp' }] }, model)
  for (const [kind, message] of rows) {
    for (const [name, given] of Object.entries({ 'without a form': {}, 'under a form with titles': { form } })) {
      test(`${kind}, ${name}`, () => {
        const writes = [{ model, draft: { data: {}, values: {}, issues: new FieldIssues() }, ...given }]
        const [broken] = brokenConstraints({ ok: false, violations: [{ kind, index: 0, field: 'title' }] }, writes, 24)
        assert.deepEqual(broken?.issues.toMessages(), { title: [message] })
      })
    }
  }
})
