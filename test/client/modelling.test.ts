import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { dataProvider as raProvider } from '../../src/client/react-admin.ts'
import { dataProvider as refineProvider } from '../../src/client/refine.ts'
import { resolved } from '../../src/openapi/components.ts'
import { fileSchemas } from '../../src/openapi/project-schemas.ts'
import { typesOf } from '../../src/openapi/typescript.ts'
import { send } from '../helpers/api/scenario.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { lineOf, lintFiles } from '../lint/projects.ts'
import { documentOf } from '../openapi/documents.ts'
import { type LiveApp, loggedIn, openLive } from './live.ts'

const ADMIN = { username: 'admin', password: 'long-enough-2024' }

/** A project with all that models and access can say. */
const FILES = {
  'models/ticket.yaml': `name: Ticket
unique_together: [[board, number]]
fields:
  - { name: board, type: string, required: true }
  - { name: number, type: integer, gte: 0 }
  - { name: status, type: choice, choices: [{ value: open, label: Is open, color: green }, { value: done, label: Is done }, late], default: open }
  - { name: cost, type: decimal, decimal_places: 2, gte: 0 }
  - { name: key, type: uuid, unique: true }
  - { name: opened_at, type: datetime, default: now }
  - { name: opened_on, type: date, default: today }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id } }
  - { name: team_id, type: foreignkey, model: team }
access: { view: self.status != 'late' || self.owner_id == user.id, add: authenticated, change: { group: Clerks } }
`,
  'models/team.yaml': `name: Team
display_field: name
fields:
  - { name: name, type: string, unique: true, required: true }
  - { name: lead_id, type: foreignkey, model: user }
`,
  'models/user.yaml': 'extends: user\nfields:\n  - { name: phone, type: string, max_length: 20 }\n',
  'roles/clerks.yaml': 'name: Clerks\npermissions: [view_team]\n',
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: ${ADMIN.password}, is_superuser: true, phone: "1" }
- { username: ann, email: ann@example.org, password: ${ADMIN.password}, phone: "2", groups: [{ name: Clerks }] }
`,
  'seed/team.yaml': '- { name: red, lead_id: { username: ann } }\n- { name: blue, lead_id: { username: admin } }\n',
  'seed/ticket.yaml': `- { board: a, number: 1, cost: "10.50", owner_id: { username: ann }, team_id: { name: red } }
- { board: a, number: 2, cost: "0.10", status: done, owner_id: { username: admin }, team_id: { name: blue } }
- { board: b, number: 1, cost: "1000000000000000.20", status: late, owner_id: { username: ann }, team_id: { name: red } }
- { board: b, number: 2, status: done, owner_id: { username: admin }, team_id: { name: red } }
`,
}

const USE = `import { createClient } from 'admin-folder/client'
import type { All_Models, Ticket, User } from './admin.ts'

const tickets = createClient<All_Models>({ url: '' }).model('ticket')
export const status: 'open' | 'done' | 'late' | null = ({} as Ticket).status
export const cost: string | null = ({} as Ticket).cost
export const key: string | null = ({} as Ticket).key
export const phone: string | null = ({} as User).phone
export const minimal: Ticket.Create = { board: 'a' }
export const whole: Ticket.Create = { board: 'a', cost: '1.5', key: null, opened_at: '2024-01-01', owner_id: 1 }
// @ts-expect-error The label of a choice is no value.
export const lost: Ticket.Create = { board: 'a', status: 'Is open' }
export const lists = async () => {
  await tickets.list({ any: [{ status: 'done', owner__phone: '1' }], filters: { team__lead__phone: '2' }, sort: ['owner.username', '-team.name'] })
  // @ts-expect-error The related model has no field of this name.
  await tickets.list({ sort: ['owner.nam'] })
  await tickets.list({ filters: { team__lead__phone__in: ['1', '2'], status: 'open' } })
  await tickets.list({ filters: ['team__lead__phone__icontains=2'] })
  // @ts-expect-error The related model has no relation of this name.
  await tickets.list({ filters: { team__leed__phone: '2' } })
  await createClient<All_Models>({ url: '' }).model('team').list({ fields: ['tickets__count'], include: ['tickets__board'] })
  await tickets.aggregate({ group_by: ['status', 'opened_at:month'], sum: ['cost'], filters: { status: 'done' } })
  // @ts-expect-error There is no period of this name.
  await tickets.aggregate({ group_by: ['opened_at:decade'] })
}
`

describe('models and access, wherever a project shows them', () => {
  let app: LiveApp
  let client: Awaited<ReturnType<typeof loggedIn>>
  before(async () => {
    app = await openLive({ files: FILES })
    client = await loggedIn(app, {}, ADMIN)
  })
  after(() => app.close())
  const ids = (data: readonly { readonly id: unknown }[]) => data.map(({ id }) => id)

  test('lint has no finding', async () => {
    const { findings } = await lintFiles(FILES)
    assert.deepEqual(findings.filter(({ severity }) => severity === 'error').map(lineOf), [])
  })

  test('the JSON Schemas accept the files', () => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const schemas = JSON.parse(JSON.stringify(fileSchemas())) as Record<string, object>
    for (const [file, text] of Object.entries(FILES)) {
      const schema = file.startsWith('models/') ? 'model.json' : 'role.json'
      if (!file.startsWith('seed/')) assert.ok(ajv.validate(schemas[schema] ?? {}, parse(text)), `${file}: ${ajv.errorsText()}`)
    }
    const broken = parse(FILES['models/ticket.yaml'].replace('color: green', 'color: grene'))
    assert.equal(ajv.validate(schemas['model.json'] ?? {}, broken), false)
  })

  test('the OpenAPI document has choices, decimals, UUIDs, generated defaults, sets, and the parameters of lists', () => {
    const { paths, components } = documentOf(app.app.project)
    const schemas = JSON.parse(JSON.stringify(components?.schemas ?? {}))
    const { properties, ...create } = schemas['Ticket.create'] ?? assert.fail(Object.keys(schemas).join())
    assert.deepEqual(create['x-unique-together'], [['board', 'number']])
    assert.deepEqual(properties.status['x-enum-descriptions'], ['Is open', 'Is done', 'late'])
    assert.equal(properties.key.format ?? properties.key.anyOf?.[0].format, 'uuid')
    assert.match(JSON.stringify(properties.cost), /decimal number as text/)
    assert.match(JSON.stringify(properties.owner_id), /The id of the user who creates the record/)
    assert.ok(Object.keys(schemas.User.properties).includes('phone'))
    const list = paths['/api/v1/models/ticket']?.get
    const parameters = (list?.parameters ?? []).map((parameter) => resolved(components, parameter))
    for (const part of ['"any"', 'owner.username']) assert.ok(JSON.stringify(parameters).includes(part), part)
    assert.ok(list?.security !== undefined)
    assert.ok(paths['/api/v1/models/ticket/aggregate'] !== undefined)
  })

  test('the types of the project know them', async () => {
    assert.equal(await typeCheck({ 'admin.ts': typesOf(app.app.project), 'use.ts': USE }), '')
  })

  test('mock records are valid records', async () => {
    const { data } = await client.model('ticket').mock({ count: 50, seed: 3 })
    const settable = data.map(({ id, owner, team, ...record }) => ({ ...record, board: `mock ${id}` }))
    const created = await client.model('ticket').bulkCreate(settable, {})
    assert.equal(created.total, 50)
    assert.ok(new Set(data.map(({ key }) => key)).size === 50, 'UUIDs differ')
    await client.model('ticket').bulkDelete(ids(created.data) as number[])
  })

  for (const format of ['csv', 'json', 'ndjson'] as const) {
    test(`an export as ${format} is imported without a change`, async () => {
      const fields = ['board', 'number', 'status', 'cost', 'key', 'opened_at', 'opened_on', 'owner_id', 'team_id']
      const exported = async () =>
        (await send(app, { request: `GET /api/v1/models/ticket/export?format=${format}&fields=${fields.join()}` })).text
      const before = await exported()
      const types = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' }
      const reply = await send(app, {
        request: 'POST /api/v1/models/ticket/import?upsert_by=key',
        rawBody: before,
        headers: { 'content-type': types[format] },
      })
      assert.deepEqual([reply.status, reply.json.updated], [200, 4], reply.text)
      assert.match(before, /1000000000000000\.2\b/)
      const withoutIds = (text: string) => text.replaceAll(/"id":\d+,?/g, '')
      assert.equal(withoutIds(await exported()), withoutIds(before))
    })
  }

  test('the client lists by groups of filters, through two relations, in the order of related fields, and totals', async () => {
    const tickets = client.model('ticket')
    const any = await tickets.list({ any: [{ status: 'late', number: 2 }], filters: { team__lead__phone: '2' } })
    assert.deepEqual(ids(any.data), [3, 4])
    const sorted = await tickets.list({ sort: ['-owner.username', 'team.name', '-id'] })
    assert.deepEqual(ids(sorted.data), [3, 1, 2, 4])
    const teams = await client.model('team').list({ fields: ['name', 'tickets__count'], include: ['tickets__number'] })
    const [red] = teams.data as unknown as { tickets__count: number; tickets: { total: number; data: unknown[] } }[]
    assert.deepEqual([red?.tickets__count, red?.tickets.total, red?.tickets.data[0]], [3, 3, { id: 1, number: 1 }])
    const totals = await tickets.aggregate({ group_by: ['status'], count: true, sum: ['cost'], avg: ['cost'], max: ['number'] })
    assert.deepEqual(
      totals.data.map(({ group, count, sum, avg, max }) => [group.status, count, sum?.cost, avg?.cost, max?.number]),
      [
        ['done', 2, '0.1', '0.1', 2],
        ['late', 1, '1000000000000000.2', '1000000000000000.2', 1],
        ['open', 1, '10.5', '10.5', 1],
      ],
    )
  })

  test('the client sees what its user may see', async () => {
    const ann = await loggedIn(app, {}, { ...ADMIN, username: 'ann' })
    assert.equal((await ann.model('ticket').list()).total, 4)
    const site = (await ann.site()).models.find(({ key }) => key === 'ticket')
    assert.deepEqual([site?.count, site?.can], [4, ['view', 'add', 'change']])
    const status = site?.fields.find(({ name }) => name === 'status')
    assert.deepEqual(status?.choices?.[0], { value: 'open', label: 'Is open', color: 'green' })
    const anonymous = await send(app, { request: 'GET /api/v1/models/ticket', as: null })
    assert.deepEqual(ids(anonymous.json.data), [1, 2, 4])
  })

  test('the providers of react-admin and refine list by groups of filters and related fields', async () => {
    const ra = await raProvider(client).getList('ticket', {
      pagination: { page: 1, perPage: 10 },
      sort: { field: 'owner.username', order: 'DESC' },
      filter: { any: [{ status: 'late', number: 2 }], 'team.lead.phone': '2' },
    })
    assert.deepEqual([ids(ra.data), ra.total], [[3, 4], 2])
    const refine = await refineProvider(client).getList({
      resource: 'ticket',
      sorters: [{ field: 'owner.username', order: 'desc' }],
      filters: [
        {
          operator: 'or',
          value: [
            { field: 'status', operator: 'eq', value: 'late' },
            { field: 'number', operator: 'eq', value: 2 },
          ],
        },
        { field: 'team.lead.phone', operator: 'eq', value: '2' },
      ],
    })
    assert.deepEqual([refine.data.map(({ id }) => id), refine.total], [[3, 4], 2])
  })
})
