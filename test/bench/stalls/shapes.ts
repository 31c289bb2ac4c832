import { memberValues } from '../data/members.ts'
import { IMPORT_SHAPES, importOf } from './imports.ts'
import { OTHER_SHAPES } from './others.ts'
import { API, CLOSED, get, post, prepare, type Shape, type StallTarget, shape } from './requests.ts'
import { letters, times } from './texts.ts'

const HAN = '漢字仮名交文章記録変更検索索引語彙単位部分長大'

const han = (length: number): string => {
  let text = ''
  for (let at = 0; text.length < length; at++) text += HAN[(at * 7 + (at >> 5)) % HAN.length]
  return text
}
const CSV_MEMBERS = (first: number, count: number): string => {
  const row = (index: number) => {
    const { username, email, age, score, bio } = memberValues(first + index)
    return `${username},${email},${age},${score},"${bio.slice(0, 20)}"`
  }
  return `username,email,age,score,bio\n${times(count, row, '\n')}\n`
}

/** Number of the first member of an import; the members of the snapshot have smaller ones. */
let nextMember = 10_000_000
function newMembers(count: number): string {
  const csv = CSV_MEMBERS(nextMember, count)
  nextMember += count
  return csv
}
const visits = (count: number, member: (index: number) => number): string =>
  `member_id,reason,begins,ends\n${times(count, (index) => `${member(index)},checkup ${index},${index},${index + 1}`, '\n')}\n`
const addVisits = (target: StallTarget, count: number, member: (index: number) => number) =>
  prepare(target, importOf('visit', 'text/csv', visits(count, member)))

async function totalOf(target: StallTarget, model: string, filters: string): Promise<number> {
  const { text } = await prepare(target, get(`${API}/${model}?page_size=1&fields=id&filters=${encodeURIComponent(filters)}`))
  return Number(/"total":(\d+)/.exec(text)?.[1])
}

/** Pages of text, so that a list of 100 is as large as a response may be. */
async function largePages(target: StallTarget): Promise<void> {
  if ((await totalOf(target, 'page', 'title=large')) > 0) return
  for (let index = 0; index < 10; index++) {
    const records = Array.from({ length: 10 }, () => ({ title: 'large', body: letters(150_000) }))
    await prepare(target, post(`${API}/page/bulk`, { records }))
  }
}

/** 8,000 names of three characters, `a00` and so on: as many as fit into the 40,960 bytes of a URL with the other headers. */
const UNKNOWN = times(8000, (index) => (12_960 + index).toString(36))
const MANY_KEYS = `{"data":{${times(700_000, (index) => `"k${index}":1`)}}}`

/** One entry for each shape. Those that change records prepare what they need, so that each can be measured alone. */
export const SHAPES: readonly Shape[] = [
  // With the records of the bench alone.
  shape('snapshot-save', 'snapshot of all records', [200, 201], () => [
    post('/api/v1/snapshots', { name: 'stalls', force: true }),
  ]),
  shape('snapshot-load', 'load of a snapshot of all records, after 100,000 changes', [200], async (target) => {
    await prepare(target, post('/api/v1/snapshots', { name: 'stalls-load', force: true }))
    await addVisits(target, 100_000, () => 9)
    return [post('/api/v1/snapshots/stalls-load/load', {})]
  }),
  // Files that are read before a limit is looked at.
  ...IMPORT_SHAPES,
  // Bodies.
  // The server may close the connection before the client has sent all of it.
  shape('keys-anonymous', 'body of 700,000 keys without a token', [401, 413, CLOSED], () => [
    { ...post(`${API}/notice`, MANY_KEYS), token: 'none' },
  ]),
  shape('keys-powerless', 'body of 700,000 keys of a user without permissions', [403], () => [
    { ...post(`${API}/member`, MANY_KEYS), token: 'powerless' },
    { ...post(`${API}/member/bulk`, MANY_KEYS), method: 'PUT', token: 'powerless' },
  ]),
  shape('keys', 'body of 700,000 keys of a superuser', [400], () => [post(`${API}/member`, MANY_KEYS)]),
  shape('keys-allowed', 'body of 99,000 unknown keys', [400], () => [
    post(`${API}/member`, `{"data":{${times(99_000, (index) => `"k${index}":1`)}}}`),
  ]),
  shape('numbers', 'body of 1,000,000 numbers with exponents', [400, 413], () => [
    post(`${API}/page`, `{"data":{"title":"x","data":[${times(1_000_000, () => '1.25e300')}]}}`),
  ]),
  shape('ones', 'body of 5,000,000 numbers', [400, 413], () => [
    post(`${API}/page`, `{"data":{"title":"x","data":[${times(5_000_000, () => '1')}]}}`),
  ]),
  shape('lists', 'body of 3,000,000 empty lists', [400, 413], () => [
    post(`${API}/page`, `{"data":{"title":"x","data":[${times(3_000_000, () => '[]')}]}}`),
  ]),
  shape('escapes', 'body with 1,700,000 escapes', [400, 413], () => [
    post(`${API}/page`, `{"data":{"title":"x","body":"${'\\u0000'.repeat(1_700_000)}"}}`),
  ]),
  // Texts in bodies and queries.
  shape('search-words', 'selection by a search of 1,000,000 words', [400], () => [
    { ...post(`${API}/member/bulk`, { filters: [], expected_total: 1, data: {}, search: letters(6_000_000) }), method: 'PUT' },
  ]),
  shape('search-han', 'selection by a search of 3,000,000 Han characters', [400], () => [
    { ...post(`${API}/member/bulk`, { filters: [], expected_total: 1, data: {}, search: han(3_000_000) }), method: 'PUT' },
  ]),
  shape('any-bars', 'selection by 9 MB of bars', [400], () => [
    {
      ...post(`${API}/member/bulk`, { filters: [], expected_total: 1, data: {}, any: [`age=1${'|'.repeat(9_000_000)}`] }),
      method: 'PUT',
    },
  ]),
  shape('in-values', 'selection by 1,300,000 values of __in', [400, 409], () => [
    {
      ...post(`${API}/member/bulk`, {
        ...{ filters: [`age__in=${times(1_300_000, (index) => String(1_000_000 + index))}`] },
        ...{ expected_total: 1, data: {} },
      }),
      method: 'PUT',
    },
  ]),
  shape('link-ids', 'many-to-many of 1,200,000 ids', [400, 413], () => [
    post(`${API}/page`, `{"data":{"title":"x","tags":[${times(1_200_000, (index) => String(index + 1))}]}}`),
  ]),
  ...['fields', 'sort_by', 'include'].map((name) =>
    shape(`unknown-${name}`, `8,000 unknown names in ${name}, without a token`, [400], () => [
      { ...get(`${API}/notice?${name}=${UNKNOWN}`), token: 'none' } as const,
    ]),
  ),
  shape('unknown-group', '8,000 unknown names in group_by, without a token', [400], () => [
    { ...get(`${API}/notice/aggregate?group_by=${UNKNOWN}`), token: 'none' },
  ]),
  // Long texts and large records.
  shape('text-han', 'refused create with a text of 3,000,000 Han characters, then a search', [400, 200], async (target) => {
    await prepare(target, get(`${API}/page/search?q=x&fields=title&page_size=1`))
    return [post(`${API}/page`, { data: { title: 'han', body: han(3_000_000) } }), get(`${API}/page/search?q=x&page_size=1`)]
  }),
  shape('texts-han', 'bulk create of nine texts of 330,000 Han characters, then a search', [201, 200], async (target) => {
    await prepare(target, get(`${API}/page/search?q=x&fields=title&page_size=1`))
    const records = Array.from({ length: 9 }, () => ({ title: 'han', body: han(330_000) }))
    return [post(`${API}/page/bulk`, { records }), get(`${API}/page/search?q=x&page_size=1`)]
  }),
  shape('record-full', 'five refused creates of 9.9 MB', [400], () =>
    Array.from({ length: 5 }, () => post(`${API}/page`, { data: { title: 'full', body: letters(9_900_000) } })),
  ),
  shape('records-1mb', 'bulk create of nine records of 1 MB, with search', [201], async (target) => {
    await prepare(target, get(`${API}/page/search?q=x&fields=title&page_size=1`))
    return [post(`${API}/page/bulk`, { records: Array.from({ length: 9 }, () => ({ title: 'mb', body: letters(1_000_000) })) })]
  }),
  // Large operations that are permitted.
  shape('import-members', 'import of 100,000 members of CSV', [200], () => [importOf('member', 'text/csv', newMembers(100_000))]),
  shape('import-form', 'import of 100,000 visits with the rules of a form', [200], () => [
    importOf(
      'visit',
      'text/csv',
      visits(100_000, (index) => 1000 + (index % 40_000)),
      '?form_id=VisitForm',
    ),
  ]),
  shape('update-50000', 'update of 50,000 members by filters, with search', [200], async (target) => {
    await prepare(target, get(`${API}/member/search?q=ann`))
    const filters = ['id__lte=50000']
    const body = { filters, expected_total: await totalOf(target, 'member', 'id__lte=50000'), data: { last_name: 'Changed' } }
    return [{ ...post(`${API}/member/bulk`, body), method: 'PUT' }]
  }),
  shape('delete-100000', 'deletion of 100,000 visits by filters', [200], async (target) => {
    await addVisits(target, 100_000, () => 7)
    const total = await totalOf(target, 'visit', 'member_id=7')
    return [{ ...post(`${API}/visit/bulk`, { filters: ['member_id=7'], expected_total: total }), method: 'DELETE' }]
  }),
  shape('forecast-50000', 'dry run of a deletion of 50,000 members', [200], async (target) => {
    const filters = ['id__lte=50000']
    const body = { filters, expected_total: await totalOf(target, 'member', 'id__lte=50000') }
    return [{ ...post(`${API}/member/bulk?dry_run=true`, body), method: 'DELETE' }]
  }),
  shape('cascade', 'deletion of a member with 90,000 visits', [200], async (target) => {
    await addVisits(target, 90_000, () => 99_999)
    return [{ method: 'DELETE', path: `${API}/member/99999` }]
  }),
  shape('swagger', '30 requests of the scripts of /docs', [200], () =>
    Array.from({ length: 30 }, () => get('/docs/swagger-ui-bundle.js')),
  ),
  // Shapes of the same kind.
  shape('bulk-rules', 'bulk create of 1,000 records with the rules of a form', [201], () => [
    post(`${API}/visit/bulk`, {
      ...{ form_id: 'VisitForm' },
      records: Array.from({ length: 1000 }, (_, index) => ({ reason: 'checkup', begins: index, ends: index + 1 })),
    }),
  ]),
  shape('bulk-large', 'bulk create of 1,000 records of 10 KB', [201], () => [
    post(`${API}/page/bulk`, { records: Array.from({ length: 1000 }, () => ({ title: 'bulk', body: letters(10_000) })) }),
  ]),
  shape('bulk-faults', 'bulk create of 1,000 records of 90 unknown fields', [400], () => [
    post(`${API}/member/bulk`, `{"records":[${times(1000, () => `{${times(90, (index) => `"usernam${index}":1`)}}`)}]}`),
  ]),
  shape('list-large', 'list of 100 records of 150 KB, and its include', [200, 413], async (target) => {
    await largePages(target)
    return [
      get(`${API}/page?page_size=100&filters=title=large`),
      get(`${API}/page?page_size=100&filters=title=large&include=tags__name`),
    ]
  }),
  shape('aggregate', 'aggregates of 100,000 members', [200, 400], () => [
    get(`${API}/member/aggregate?group_by=last_name&sum=score&avg=age&min=score&max=score`),
    get(`${API}/member/aggregate?group_by=username&count`),
    get(`${API}/member/aggregate?sum=score`),
  ]),
  shape('sort-text', 'lists that sort by texts, without indexes yet', [200], () =>
    ['bio', 'last_name', 'first_name&sort_order=desc', 'email'].map((sort) => get(`${API}/member?sort_by=${sort}`)),
  ),
  shape('filters', 'lists with filters of parts of texts', [200, 400], () => [
    ...['a', 'ann', 'ba ce', 'zz'].map((text) => get(`${API}/member?filters=bio__icontains=${encodeURIComponent(text)}`)),
    get(`${API}/member?any=${encodeURIComponent(times(100, (index) => `bio__icontains=x${index}`, '|'))}`),
    get(`${API}/member?filters=${encodeURIComponent(`bio__icontains=${'ab'.repeat(6000)}`)}`),
  ]),
  shape('search-fuzzy', 'first searches of 100,000 members, fuzzy', [200, 400, 503], () => [
    get(`${API}/member/search?q=ann%20lee&fuzzy=true`),
    get(`${API}/member/search?q=${times(60, (index) => `smyth${index}`, '%20')}&fuzzy=true`),
    get(`${API}/member/search?q=a&page_size=100`),
  ]),
  ...['csv', 'json', 'ndjson'].map((format) =>
    shape(`export-${format}`, `export of 100,000 members as ${format.toUpperCase()}`, [200], () => [
      get(`${API}/member/export?format=${format}`),
      get(`${API}/member/export?format=${format}&sort_by=bio`),
    ]),
  ),
  shape('history', 'history of a record with 1,000 changes, and of all records', [200], async (target) => {
    for (let index = 0; index < 1000; index++)
      await prepare(target, { ...post(`${API}/member/2`, { data: { age: index % 100 } }), method: 'PUT' })
    return [get(`${API}/member/2/history?page_size=100`), get('/api/v1/history?page_size=100'), get('/api/v1/history?page=900')]
  }),
  shape('links', 'bulk create of 1,000 records with 90 links each', [201], async (target) => {
    await prepare(
      target,
      post(`${API}/tag/bulk`, { records: Array.from({ length: 100 }, (_, index) => ({ name: `t${index}` })) }),
    )
    const tags = Array.from({ length: 90 }, (_, index) => index + 1)
    return [post(`${API}/page/bulk`, { records: Array.from({ length: 1000 }, () => ({ title: 'links', tags })) })]
  }),
  shape('mock', 'mock values of 1,000 members, and 10,000 stored', [200, 201], () => [
    get(`${API}/member/mock?count=1000`),
    post('/api/v1/mock', { models: ['member'], count: 10_000, seed: nextMember++ }),
  ]),
  shape('description', 'OpenAPI document, site, views, metrics and lint', [200], () =>
    ['/api/v1/openapi.json', '/admin/api/v1/site', '/admin/api/v1/views/', '/metrics', '/admin/api/v1/lint'].map(get),
  ),
  ...OTHER_SHAPES,
  shape('reset', 'reset of all records, after 100,000 changes', [200], async (target) => {
    await addVisits(target, 100_000, () => 9)
    return [post('/api/v1/reset', {})]
  }),
]
