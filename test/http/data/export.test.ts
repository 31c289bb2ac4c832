import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import readWorkbook from 'read-excel-file/node'
import { openTestApp } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const EXPORT = '/api/v1/models/post/export'

const linesOf = (text: string): string[] => text.split('\r\n')

const faults: readonly (readonly [query: string, parameter: string, message: RegExp])[] = [
  ['format=xml', 'format', /'format' must be one of csv, json, ndjson, xlsx, not 'xml'/],
  ['format=csv&format=json', 'format', /given 2 times/],
  ['bom=yes', 'bom', /must be true or false/],
  ['bom=true&format=json', 'bom', /for CSV alone/],
  ['bom=true&format=xlsx', 'bom', /for CSV alone/],
  ['labels=true&format=json', 'labels', /for CSV and XLSX/],
  ['time_zone=UTC', 'time_zone', /with labels=true/],
  ['labels=true&time_zone=Berlin', 'time_zone', /a name such as Europe\/Berlin, not 'Berlin'/],
  ['labels=true&list_id=PostLsit', 'list_id', /Unknown list view 'PostLsit'; did you mean 'PostList'/],
  ['labels=true&fields=titel', 'fields', /did you mean 'title'/],
  ['page=2', 'page', /Unknown query parameter 'page'/],
  ['include=author__username', 'include', /Unknown query parameter 'include'/],
  ['fields=titel', 'fields', /did you mean 'title'/],
  ['filters=titel=x', 'filters', /did you mean 'title'/],
  ['sort_by=titel', 'sort_by', /did you mean 'title'/],
]

scenarios('export', [
  scenario('CSV is the default', `GET ${EXPORT}`, 200, {
    expectHeaders: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="post.csv"' },
    check: ({ text }) => {
      const [header, ...rows] = linesOf(text)
      assert.match(header ?? '', /^id,title,slug,.*,author_id,category_id,tags,created_at,updated_at$/)
      assert.match(rows[0] ?? '', /^1,Welcome to The Harbour Journal,/)
    },
  }),
  scenario('all of them, however many, in JSON', 'GET /api/v1/models/comment/export?format=json', 200, {
    expectHeaders: { 'content-type': /^application\/json/, 'content-disposition': 'attachment; filename="comment.json"' },
    check: ({ json }) => {
      assert.equal(json.length, 100)
      assert.deepEqual(Object.keys(json[0]).slice(0, 1), ['id'])
      assert.equal(typeof json[0].post_id, 'number')
      assert.equal('post' in json[0], false, 'related records are there by their ids alone')
    },
  }),
  scenario('a record a line in NDJSON', 'GET /api/v1/models/tag/export?format=ndjson&sort_by=id&sort_order=desc', 200, {
    expectHeaders: { 'content-type': /^application\/x-ndjson/, 'content-disposition': 'attachment; filename="tag.ndjson"' },
    check: ({ text }) => {
      const records = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual(valuesOf(records, 'id'), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    },
  }),
  scenario(
    'filters, order and fields of a list; columns in the order of the model, relations by either name',
    `GET ${EXPORT}?filters=status=draft&filters=author__username=m.keller&sort_by=title&fields=tags,author,title`,
    200,
    {
      check: ({ text }) => assert.equal(text, 'id,title,author_id,tags\r\n43,Lantern parade 2024: call for boats,2,3;11;12\r\n'),
    },
  ),
  scenario('nothing that matches is a header, and an empty array', `GET ${EXPORT}?filters=title=nobody&fields=title`, 200, {
    check: async ({ text }, app) => {
      assert.equal(text, 'id,title\r\n')
      assert.deepEqual((await send(app, { request: `GET ${EXPORT}?format=json&filters=title=nobody` })).json, [])
    },
  }),
  scenario('a byte order mark for spreadsheets', `GET ${EXPORT}?bom=true&fields=id`, 200, {
    check: ({ text }) => assert.match(text, /^\uFEFFid\r\n1\r\n/),
  }),
  scenario(
    'with labels: titles, choices, related records and times as people read them, columns as requested',
    `GET ${EXPORT}?labels=true&filters=id__in=1,43&fields=title,author,tags,status,created_at,id&time_zone=Europe/Berlin`,
    200,
    {
      check: async ({ text }, app) => {
        const { json } = await send(app, { request: 'GET /api/v1/models/post/43' })
        const created = new Date(json.data.created_at).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' })
        const [head, , row] = linesOf(text)
        assert.equal(head, 'Title,Author,Tags,Status,Created at,ID')
        assert.equal(row, `Lantern parade 2024: call for boats,m.keller,Sailing; Music; Volunteers,Draft,${created},43`)
      },
    },
  ),
  scenario('with labels of a list view: its titles', `GET ${EXPORT}?labels=true&list_id=PostList&filters=id=43&bom=true`, 200, {
    check: ({ text }) => assert.match(text, /^\uFEFFID,Title,Slug,Summary,Text,Cover,Status,Rating,Views,Featured,/),
  }),
  scenario('of a model that is not there', 'GET /api/v1/models/pots/export', 404),
  ...faults.map(
    ([query, parameter, message]): Scenario =>
      scenario(`is refused: ${query}`, `GET ${EXPORT}?${query}`, 400, {
        check: ({ json }) => assert.match(json.details[parameter].join(), message),
      }),
  ),
])

describe('a workbook', () => {
  const MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

  test('has the stored values, or those that people read, with their types', async () => {
    await using app = await openTestApp()
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    const workbook = async (query: string) => {
      const reply = await app.server.inject({ url: `${EXPORT}?format=xlsx&filters=id=43&${query}`, headers })
      assert.equal(reply.statusCode, 200, reply.payload)
      assert.equal(reply.headers['content-type'], MEDIA_TYPE)
      assert.equal(reply.headers['content-disposition'], 'attachment; filename="post.xlsx"')
      return readWorkbook(reply.rawPayload)
    }
    const [{ sheet, data } = assert.fail()] = await workbook(
      'labels=true&fields=status,author,is_featured,views_count,created_at,title',
    )
    assert.equal(sheet, 'Posts')
    assert.deepEqual(data[0], ['Status', 'Author', 'Featured on the front page', 'Views', 'Created at', 'Title'])
    const [status, author, isFeatured, views, created, title] = data[1] ?? []
    assert.deepEqual([status, author, title], ['Draft', 'm.keller', 'Lantern parade 2024: call for boats'])
    assert.deepEqual([typeof isFeatured, typeof views, created instanceof Date], ['boolean', 'number', true])
    const [{ data: stored } = assert.fail()] = await workbook('fields=title,author,tags')
    assert.deepEqual(stored, [
      ['id', 'title', 'author_id', 'tags'],
      [43, 'Lantern parade 2024: call for boats', 2, '3;11;12'],
    ])
  })

  test('is refused, with the reason, where a text is too long for a cell', async () => {
    await using app = await openTestApp()
    const body = { data: { body: 'x'.repeat(32_768) } }
    assert.equal((await send(app, { request: 'PUT /api/v1/models/post/43', body })).status, 200)
    const { status, json } = await send(app, { request: `GET ${EXPORT}?format=xlsx` })
    assert.equal(status, 400)
    assert.match(
      json.details.format.join(),
      /^A cell of XLSX holds at most 32,767 characters, and 'body' of the record with ID 43/,
    )
    assert.equal((await send(app, { request: `GET ${EXPORT}?format=xlsx&fields=title` })).status, 200)
  })
})

describe('a HEAD request', () => {
  test('is answered with the headers alone', async () => {
    await using app = await openTestApp()
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    const reply = await app.server.inject({ method: 'HEAD', url: EXPORT, headers })
    assert.deepEqual([reply.statusCode, reply.payload], [200, ''])
    assert.equal(reply.headers['content-disposition'], 'attachment; filename="post.csv"')
  })

  test('ends the reading of records, which on PostgreSQL holds a connection', async ({ mock }) => {
    await using app = await openTestApp()
    let isEnded = false
    mock.method(app.app.store, 'stream', async function* () {
      try {
        for (;;) yield []
      } finally {
        isEnded = true
      }
    })
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    assert.equal((await app.server.inject({ method: 'HEAD', url: EXPORT, headers })).statusCode, 200)
    for (let turn = 0; turn < 100 && !isEnded; turn++) await setImmediate()
    assert.ok(isEnded)
  })
})
