import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const IMPORT = '/api/v1/models/tag/import'
const CSV = { 'content-type': 'text/csv' }
const JSON_TYPE = { 'content-type': 'application/json' }

const tags = async (app: TestApp) => (await send(app, { request: 'GET /api/v1/models/tag?page_size=100' })).json

const post = (app: TestApp, query: string, rawBody: string, status = 200, headers: Scenario['headers'] = CSV): Promise<Reply> =>
  play(app, { request: `POST ${IMPORT}${query}`, rawBody, headers: headers ?? {}, status })

const form = (...parts: readonly (readonly [disposition: string, type: string, content: string])[]) => ({
  headers: { 'content-type': 'multipart/form-data; boundary=xx' },
  rawBody: `${parts
    .map(([disposition, type, content]) => `--xx\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n${content}\r\n`)
    .join('')}--xx--\r\n`,
})

const REEF = { name: 'Reef', slug: 'reef' }
const REEF_CSV = 'name,slug\r\nReef,reef\r\n'
const ONE = { message: '1 records imported', dry_run: false, created: 1, updated: 0, total: 1, ignored: [] }

const accepted: readonly Pick<Scenario, 'name' | 'rawBody' | 'headers'>[] = [
  { name: 'CSV', rawBody: REEF_CSV, headers: CSV },
  { name: 'CSV with semicolons', rawBody: 'name;slug\nReef;reef\n', headers: CSV },
  { name: 'CSV with tabs', rawBody: '"name"\t"slug"\r\n"Reef"\treef', headers: CSV },
  { name: 'CSV with labels', rawBody: ' Name ;Slug\nReef;reef\n', headers: CSV },
  { name: 'CSV with an empty line first', rawBody: '\r\nname;slug\r\nReef;reef\r\n', headers: CSV },
  { name: 'CSV with a charset', rawBody: REEF_CSV, headers: { 'content-type': 'Text/CSV; charset=utf-8' } },
  { name: 'JSON', rawBody: JSON.stringify([REEF]), headers: JSON_TYPE },
  { name: 'NDJSON', rawBody: `${JSON.stringify(REEF)}\n`, headers: { 'content-type': 'application/x-ndjson' } },
  { name: 'a part of a form, by its type', ...form(['name="file"; filename="tags"', 'Content-Type: text/csv\r\n', REEF_CSV]) },
  {
    name: 'a part of a form, by its name',
    ...form(['name="file"; filename="Tags.CSV"', 'Content-Type: application/vnd.ms-excel\r\n', REEF_CSV]),
  },
]

const refused: readonly (Pick<Scenario, 'name' | 'rawBody' | 'headers' | 'status'> & { says: RegExp; query?: string })[] = [
  { name: 'no type', rawBody: REEF_CSV, headers: {}, status: 415, says: /must be text\/csv, application\/json/ },
  { name: 'another type', rawBody: REEF_CSV, headers: { 'content-type': 'text/plain' }, status: 415, says: /must be text\/csv/ },
  { name: 'an unknown encoding', rawBody: REEF_CSV, headers: { ...CSV, 'content-encoding': 'br' }, status: 415, says: /gzip/ },
  { name: 'a form without a file', ...form(['name="file"', '', REEF_CSV]), status: 400, says: /one part, 'file'/ },
  {
    name: 'a form with more',
    ...form(['name="file"; filename="a.csv"', '', REEF_CSV], ['name="is_superuser"', '', 'true']),
    status: 400,
    says: /one part, 'file'/,
  },
  {
    name: 'a form with very many parts',
    ...form(...Array.from({ length: 1000 }, () => ['name="file"; filename="a.csv"', '', REEF_CSV] as const)),
    status: 400,
    says: /one part, 'file'/,
  },
  {
    name: 'a row that is too long',
    rawBody: `name,slug\nx,${'x'.repeat(5_000_000)}`,
    headers: CSV,
    status: 400,
    says: /"1\.row":\["The row is longer than/,
  },
  { name: 'an invalid form', ...form(), rawBody: 'x', status: 400, says: /not multipart\/form-data/ },
  {
    name: 'a part of an unknown type',
    ...form(['name="file"; filename="a.xls"', 'Content-Type: application/vnd.ms-excel\r\n', 'x']),
    status: 415,
    says: /neither a type/,
  },
  { name: 'JSON that is no array', rawBody: '{"name":"x"}', headers: JSON_TYPE, status: 400, says: /array of objects/ },
  { name: 'invalid JSON', rawBody: '[{', headers: JSON_TYPE, status: 400, says: /not valid JSON/ },
  { name: 'a column twice', rawBody: 'name,name\na,b\n', headers: CSV, status: 400, says: /'name' occurs twice/ },
  {
    name: 'a column by its name and its label',
    rawBody: 'name,Name\na,b\n',
    headers: CSV,
    status: 400,
    says: /The columns 'name' and 'Name' both are the field 'name'/,
  },
  {
    name: 'more than a thousand columns',
    rawBody: `name${',a'.repeat(2000)}\nx\n`,
    headers: CSV,
    status: 400,
    says: /must not have more than 1000 columns/,
  },
  {
    name: 'JSON behind the array',
    rawBody: JSON.stringify([REEF]).concat(' ]'),
    headers: JSON_TYPE,
    status: 400,
    says: /not valid JSON: text follows the array/,
  },
  { name: 'JSON without an end', rawBody: '[{"name":"x"},', headers: JSON_TYPE, status: 400, says: /not valid JSON/ },
  { name: 'JSON without an item', rawBody: '[{"name":"x"},]', headers: JSON_TYPE, status: 400, says: /not valid JSON/ },
  { name: 'an empty file of JSON', rawBody: ' \n', headers: JSON_TYPE, status: 400, says: /not valid JSON/ },
  {
    name: 'upsert by no unique field',
    rawBody: REEF_CSV,
    headers: CSV,
    query: '?upsert_by=colour',
    status: 400,
    says: /unique field of Tag/,
  },
  {
    name: 'an unknown parameter',
    rawBody: REEF_CSV,
    headers: CSV,
    query: '?dryrun=true',
    status: 400,
    says: /did you mean 'dry_run'/,
  },
  {
    name: 'keep_ids, which is for the shell',
    rawBody: REEF_CSV,
    headers: CSV,
    query: '?keep_ids=true',
    status: 400,
    says: /Unknown query/,
  },
  {
    name: 'an unknown form',
    rawBody: REEF_CSV,
    headers: CSV,
    query: '?form_id=Nope',
    status: 400,
    says: /Form 'Nope' is no form of /,
  },
]

scenarios('import', [
  ...accepted.map((each): Scenario => ({ ...each, request: `POST ${IMPORT}`, status: 200, expect: ONE })),
  ...refused.map(
    ({ says, query = '', ...each }): Scenario => ({
      ...each,
      request: `POST ${IMPORT}${query}`,
      check: async ({ text }, app) => {
        assert.match(text, says)
        assert.equal((await tags(app)).total, 12)
      },
    }),
  ),
  scenario('an invalid row leaves nothing behind; every error is reported by row and column', `POST ${IMPORT}`, 400, {
    rawBody: 'name,slug\r\nReef,reef\r\n,not a slug\r\nOther,reef\r\nThird\r\n',
    headers: CSV,
    expect: {
      detail: {
        error: {
          '2.name': ['name is mandatory'],
          '2.slug': ["slug format is invalid: 'not a slug'"],
          '4.row': ['The row has 1 cells where the header has 2 columns'],
        },
      },
    },
    check: async (_, app) => assert.equal((await tags(app)).total, 12),
  }),
  scenario('constraint violations are reported by row too, within the file and with stored records', `POST ${IMPORT}`, 400, {
    rawBody: JSON.stringify([REEF, { name: 'Again', slug: 'reef' }, { name: '', slug: 'x' }]),
    headers: JSON_TYPE,
    expect: { detail: { error: { '2.slug': ['slug must be unique'], '3.name': ['name is mandatory'] } } },
  }),
  scenario('a row with other cells than the header is the last one that is read', `POST ${IMPORT}`, 400, {
    rawBody: `name,slug\r\n,a\r\nReef,reef,more\r\n,b\r\nx\r\n`,
    headers: CSV,
    expect: {
      detail: { error: { '1.name': ['name is mandatory'], '2.row': ['The row has 3 cells where the header has 2 columns'] } },
    },
  }),
  scenario('of a row with very many cells no more than a thousand are counted', `POST ${IMPORT}?dry_run=true`, 400, {
    rawBody: `name,slug\r\n${','.repeat(200_000)}\r\n`,
    headers: CSV,
    expect: { detail: { error: { '1.row': ['The row has more than 1000 cells where the header has 2 columns'] } } },
  }),
  scenario('the columns of a file with semicolons are found where none is known', `POST ${IMPORT}`, 400, {
    rawBody: 'Titel;Kurzname;Farbe\r\nRiff;riff;#aabbcc\r\n',
    headers: CSV,
    check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error), ['Titel', 'Kurzname', 'Farbe']),
  }),
  scenario(
    'a nested record that is too deep is named by its row, as are those before it',
    'POST /api/v1/models/post/import',
    400,
    {
      rawBody: `[{"title":"a"},{"metadata":${'['.repeat(50)}`,
      headers: JSON_TYPE,
      check: ({ json }) => {
        assert.ok('1.slug' in json.detail.error)
        assert.deepEqual(json.detail.error['2.metadata'], ['metadata must not be nested more than 32 levels deep'])
      },
    },
  ),
  ...(
    [
      ['JSON', JSON_TYPE, (data: string) => `[{"title":"x","metadata":${data}}]`, '1.row', 'The record'],
      ['NDJSON', { 'content-type': 'application/x-ndjson' }, (data: string) => `{"metadata":${data}}\n{}`, '1.row', 'The record'],
      ['CSV', CSV, (data: string) => `title,metadata\nx,"${data}"\n`, '1.metadata', 'metadata'],
    ] as const
  ).map(
    ([name, headers, file, key, subject]): Scenario =>
      scenario(
        `a value with very many parts is refused before it is parsed, in ${name}`,
        'POST /api/v1/models/post/import',
        400,
        {
          rawBody: file(`[${'0,'.repeat(400_000)}0]`),
          headers,
          check: ({ json }) => assert.deepEqual(json.detail.error[key], [`${subject} has more than 300000 values`]),
        },
      ),
  ),
  scenario('a line of NDJSON that is too long is the last one that is read', `POST ${IMPORT}`, 400, {
    rawBody: `\n{"name":"${'x'.repeat(5_000_000)}"}\n{}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
    expect: { detail: { error: { '1.row': ['The row is longer than 4194304 characters (setting max_record_bytes)'] } } },
  }),
  scenario('an item of JSON that is too long is the last one that is read', `POST ${IMPORT}`, 400, {
    rawBody: `[{"name":"${'x'.repeat(5_000_000)}"},{}]`,
    headers: JSON_TYPE,
    expect: { detail: { error: { '1.row': ['The row is longer than 4194304 characters (setting max_record_bytes)'] } } },
  }),
  scenario('a record of more than a thousand fields is refused', `POST ${IMPORT}`, 400, {
    rawBody: JSON.stringify([Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, 1]))]),
    headers: JSON_TYPE,
    expect: { detail: { error: { '1.row': ['The record has 1001 fields; at most 1000 are read'] } } },
  }),
  scenario('an unknown column is reported once', `POST ${IMPORT}`, 400, {
    rawBody: 'name,slugg\r\na,a\r\nb,b\r\n',
    headers: CSV,
    expect: { detail: { error: { slugg: ["Field 'slugg' does not exist; did you mean 'slug'?"] } } },
  }),
  scenario('at most a thousand errors are reported', `POST ${IMPORT}`, 400, {
    rawBody: `name\r\n${'""\r\n'.repeat(3000)}`,
    headers: CSV,
    check: ({ json }) => {
      const { more, ...rows } = json.detail.error
      assert.equal(Object.keys(rows).length, 1000)
      assert.match(more[0], /^\d+ more errors are not shown$/)
    },
  }),
  scenario('JSON with duplicate keys or inexact numbers is rejected, as everywhere', `POST /api/v1/models/post/import`, 400, {
    rawBody: '[{"title":"a","title":"b"},{"metadata":{"n":1e999}}]',
    headers: JSON_TYPE,
    check: ({ json }) => {
      assert.match(json.detail.error['1.title'].join(), /is given twice/)
      assert.match(json.detail.error['2.metadata'].join(), /cannot be kept exactly/)
    },
  }),
])

describe('import', () => {
  const withApp = async (work: (app: TestApp) => Promise<void>, settings = {}) => {
    await using app = await openTestApp({ settings })
    await work(app)
    assert.deepEqual(app.reported, [])
  }

  test('of bytes that are no UTF-8 is refused by the name of the encoding', () =>
    withApp(async (app) => {
      const headers = { authorization: `Bearer ${await app.tokenOf('admin')}`, ...CSV }
      for (const [payload, message] of [
        [
          Buffer.from('name,slug\n\xe9t\xe9,x\n', 'latin1'),
          /not in UTF-8, but probably in Latin-1 \(Windows-1252\); save it as UTF-8/,
        ],
        [Buffer.from('\uFEFFname,slug\nReef,reef\n', 'utf16le'), /is in UTF-16; save it as UTF-8/],
        [Buffer.from('Titel;Kurzname\nRiff;riff\n', 'utf16le'), /is in UTF-16; save it as UTF-8/],
        [Buffer.from('Größe;Kurzname\n1;riff\n', 'latin1'), /not in UTF-8, but probably in Latin-1/],
      ] as const) {
        const reply = await app.server.inject({ method: 'POST', url: IMPORT, payload, headers })
        assert.equal(reply.statusCode, 400)
        assert.match(reply.payload, message)
      }
    }))

  test('takes the named delimiter, and rejects an unknown one', () =>
    withApp(async (app) => {
      await post(app, '?delimiter=semicolon&dry_run=true', 'name;slug\nReef;reef\n')
      await post(app, '?delimiter=comma&dry_run=true', 'name;slug\nReef;reef\n', 400)
      const { json } = await post(app, '?delimiter=pipe', REEF_CSV, 400)
      assert.deepEqual(json.details, { delimiter: ["'delimiter' must be one of comma, semicolon, tab, not 'pipe'"] })
    }))

  test('takes integers and ids that are written with a zero fraction', () =>
    withApp(async (app) => {
      const csv = 'title;slug;body;author_id;views_count\nReef;reef;x;3.0;15.00\n'
      const reply = await play(app, { request: 'POST /api/v1/models/post/import', rawBody: csv, headers: CSV, status: 200 })
      assert.equal(reply.json.created, 1)
      const { data } = (await send(app, { request: 'GET /api/v1/models/post?filters=slug=reef' })).json
      assert.deepEqual([data[0].author_id, data[0].views_count], [3, 15])
      const wrong = csv.replace('reef;', 'other;').replace('15.00', '15.5')
      await play(app, { request: 'POST /api/v1/models/post/import', rawBody: wrong, headers: CSV, status: 400 })
    }))

  test('of a cell with very many items is refused before they are divided', () =>
    withApp(async (app) => {
      const request = 'POST /api/v1/models/post/import'
      const csv = `title,slug,body,author_id,tags\nReef,reef,x,1,${';'.repeat(200_000)}\n`
      const { json } = await play(app, { request, rawBody: csv, headers: CSV, status: 400 })
      assert.deepEqual(json.detail.error, { '1.tags': ['tags must not have more than 100000 items'] })
    }))

  test('takes booleans as spreadsheets write them', () =>
    withApp(async (app) => {
      const csv = 'Body;Post;Guest name;Approved\nOne;1;Ann;TRUE\nTwo;1;Ann;False\n'
      const request = 'POST /api/v1/models/comment/import'
      await play(app, { request, rawBody: csv, headers: CSV, status: 200 })
      const { data } = (await send(app, { request: 'GET /api/v1/models/comment?sort_by=id&sort_order=desc&page_size=2' })).json
      assert.deepEqual(valuesOf(data, 'is_approved'), [false, true])
      const { json } = await play(app, {
        request,
        rawBody: csv.replace('TRUE', 'yes').replaceAll(';Ann;', ';Bea;'),
        headers: CSV,
        status: 400,
      })
      assert.deepEqual(json.detail.error, { '1.is_approved': ["is_approved must be a boolean: 'yes'"] })
    }))

  test('a dry run reports the result or the errors, and changes nothing', () =>
    withApp(async (app) => {
      const { json } = await post(app, '?dry_run=true', REEF_CSV)
      assert.deepEqual(json, { ...ONE, message: '1 records would be imported', dry_run: true })
      const wrong = await post(app, '?dry_run=true', 'name,slug\nReef,reef\nCoral,reef\n', 400)
      assert.deepEqual(wrong.json.detail.error, { '2.slug': ['slug must be unique'] })
      assert.equal((await tags(app)).total, 12)
      await post(app, '', REEF_CSV)
      assert.equal((await tags(app)).data.at(-1).id, 13, 'a dry run spends no ids')
    }))

  test('upserts by a unique field: existing records are updated, others created', () =>
    withApp(async (app) => {
      const [first] = (await tags(app)).data
      const { json } = await post(app, '?upsert_by=slug', `slug,name\r\n${first.slug},Renamed\r\nreef,Reef\r\n`)
      assert.deepEqual([json.created, json.updated, json.total], [1, 1, 2])
      const after = (await tags(app)).data
      assert.deepEqual([after[0].name, after[0].slug, after.at(-1).slug], ['Renamed', first.slug, 'reef'])
    }))

  test('upserts by id: an unknown id is an error, a row without one is created', () =>
    withApp(async (app) => {
      const { json } = await post(app, '?upsert_by=id', 'id,name,slug\r\n1,Renamed,renamed\r\n,Reef,reef\r\n')
      assert.deepEqual([json.created, json.updated, json.ignored], [1, 1, []])
      const wrong = await post(app, '?upsert_by=id', 'id,name,slug\r\n99,a,a\r\n1,b,b\r\n1,c,c\r\n', 400)
      assert.deepEqual(wrong.json.detail.error, {
        '1.id': ['Tag with ID 99 does not exist'],
        '3.id': ['id is also that of row 2'],
      })
    }))

  test('accepts an exported file: fields that the server sets are listed, not used', () =>
    withApp(async (app) => {
      const { text } = await send(app, { request: 'GET /api/v1/models/category/export' })
      const renamed = text.replace(/^(\d+),/gm, (_, id) => `${Number(id) + 100},`)
      const request = 'POST /api/v1/models/category/import?upsert_by=slug'
      const { json } = await play(app, { request, rawBody: renamed, headers: CSV, status: 200 })
      assert.equal(json.updated, json.total)
      assert.ok(json.ignored.includes('id'), JSON.stringify(json.ignored))
    }))

  test('validates records with a form', () =>
    withApp(async (app) => {
      const request = 'POST /api/v1/models/comment/import?form_id=CommentForm'
      const reply = await send(app, { request, rawBody: JSON.stringify([{ is_approved: true }]), headers: JSON_TYPE })
      const single = await send(app, {
        request: 'POST /api/v1/models/comment',
        body: { data: { is_approved: true }, form_id: 'CommentForm' },
      })
      assert.equal(reply.status, single.status, reply.text)
      const expected = Object.fromEntries(Object.entries(single.json.detail.error).map(([field, said]) => [`1.${field}`, said]))
      assert.deepEqual(reply.json.detail.error, expected)
    }))

  test('a body over max_upload_bytes is a 413, packed or not', () =>
    withApp(
      async (app) => {
        await post(app, '', `name,slug\n${'a'.repeat(2000)},x\n`, 413)
      },
      { max_upload_bytes: 1024 },
    ))

  test('is counted as an upload, apart from other requests', () =>
    withApp(
      async (app) => {
        const { headers } = await post(app, '?dry_run=true', REEF_CSV)
        assert.equal(headers['x-ratelimit-limit'], '2')
        assert.match(String(headers['ratelimit-policy']), /^"upload";q=2;w=60$/)
        await post(app, '?dry_run=true', REEF_CSV)
        const { headers: last } = await post(app, '?dry_run=true', REEF_CSV, 429)
        assert.equal(last['retry-after'], '60')
        const { headers: other } = await play(app, { request: 'GET /api/v1/models/tag', status: 200 })
        assert.equal(other['x-ratelimit-limit'], '50')
        assert.equal(other['x-ratelimit-remaining'], '49')
      },
      { rate_limits: { default: 50, upload: 2 } },
    ))
})
