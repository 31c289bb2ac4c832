import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { memberValues } from '../data/members.ts'
import { importOf } from './imports.ts'
import { API, get, post, prepare, type Shape, type ShapeRequest, type StallTarget, send, shape } from './requests.ts'
import { letters, times } from './texts.ts'

/** Event streams of one user that are open at the same time: the limit. */
const STREAMS = 5
/** Time after which they are closed, in milliseconds. */
const STREAM_TIME = 30_000

const idIn = (text: string): number => Number(/"id":(\d+)/.exec(text)?.[1])

async function created(target: StallTarget, model: string, data: object): Promise<number> {
  return idIn((await prepare(target, post(`${API}/${model}`, { data }))).text)
}

/** Adds so many beds to a new ward. */
async function wardWith(target: StallTarget, count: number, column: string): Promise<number> {
  const ward = await created(target, 'ward', { name: 'ward' })
  await prepare(target, importOf('bed', 'text/csv', `${column},number\n${times(count, (index) => `${ward},${index}`, '\n')}\n`))
  return ward
}

const put = (path: string, body: unknown): ShapeRequest => ({ ...post(path, body), method: 'PUT' })

const changeOf = (ids: readonly number[], data: (id: number) => object): ShapeRequest =>
  put(`${API}/member/bulk`, { updates: ids.map((id) => ({ id, data: data(id) })) })

/** The first of the members with at most this id, to be changed by filters. */
async function changeOfFirst(target: StallTarget, count: number, lastName: string): Promise<ShapeRequest> {
  const filter = `id__lte=${count}`
  const { text } = await prepare(target, get(`${API}/member?page_size=1&fields=id&filters=${encodeURIComponent(filter)}`))
  const total = Number(/"total":(\d+)/.exec(text)?.[1])
  return put(`${API}/member/bulk`, { filters: [filter], expected_total: total, data: { last_name: lastName } })
}

function openStream({ address, superuser }: StallTarget): void {
  const stream = request(`${address}/api/v1/events`, { agent: false, headers: { authorization: `Bearer ${superuser}` } })
  stream.on('response', (response) => response.resume().on('error', () => {})).on('error', () => {})
  stream.end()
  setTimeout(() => stream.destroy(), STREAM_TIME).unref()
}

/** Shapes besides those of the issue that named the first ones. */
export const OTHER_SHAPES: readonly Shape[] = [
  shape('form-fields', 'a urlencoded form of 1,000,000 fields', [400, 401, 413, 415], () => {
    const body = times(1_000_000, (index) => `f${index % 1000}=1`, '&')
    return ['/auth/logout', '/models/member'].map((path) => {
      return { method: 'POST', path: `/api/v1${path}`, type: 'application/x-www-form-urlencoded', body }
    })
  }),
  shape('gzip-zeros', 'bodies of gzip that unpack to 2 GB', [400, 413], () => {
    const body = gzipSync(Buffer.alloc(512 << 20))
    const request = { method: 'POST', type: 'application/json', encoding: 'gzip', body } as const
    return Array.from({ length: 4 }, () => ({ ...request, path: `${API}/page` }))
  }),
  shape('gzip-body', 'a bulk create of 1,000 records of 9 KB in gzip', [201], () => {
    const records = Array.from({ length: 1000 }, () => ({ title: 'gzip', body: letters(9000) }))
    return [{ ...post(`${API}/page/bulk`, ''), body: gzipSync(JSON.stringify({ records })), encoding: 'gzip' }]
  }),
  shape('upsert', 'import of 50,000 members that exist, by their name', [200], () => {
    const row = (index: number) => `${memberValues(index + 1).username},${index % 100}`
    return [importOf('member', 'text/csv', `username,age\n${times(50_000, row, '\n')}\n`, '?upsert_by=username')]
  }),
  shape('update-ids', 'ten updates of 1,000 members each, at the same time', [200], () =>
    Array.from({ length: 10 }, (_, part) => {
      const ids = Array.from({ length: 1000 }, (_, index) => 60_000 + part * 1000 + index)
      return changeOf(ids, (id) => ({ first_name: `Changed ${id}`, bio: letters(200) }))
    }),
  ),
  shape('delete-refused', 'refused deletion of a ward with 100,000 beds, and its forecast', [200, 409], async (target) => {
    const ward = await wardWith(target, 100_000, 'ward_id')
    const path = `${API}/ward/${ward}`
    return [
      { method: 'DELETE', path },
      { method: 'DELETE', path: `${path}?dry_run=true` },
    ]
  }),
  shape('set-null', 'deletion of a ward that 100,000 beds had formerly', [200], async (target) => [
    { method: 'DELETE', path: `${API}/ward/${await wardWith(target, 100_000, 'former_ward_id')}` },
  ]),
  shape('unlink', 'deletion of a tag of 50,000 pages', [200], async (target) => {
    const tag = await created(target, 'tag', { name: 'linked' })
    await prepare(target, importOf('page', 'text/csv', `title,tags\n${`linked,${tag}\n`.repeat(50_000)}`))
    return [{ method: 'DELETE', path: `${API}/tag/${tag}` }]
  }),
  shape('logins', '50 logins with wrong passwords at the same time', [401, 403, 429], () =>
    Array.from({ length: 50 }, (_, index) => {
      return post('/api/v1/auth/token', { username: `stranger${index}`, password: letters(200) }, 'none')
    }),
  ),
  shape('streams', `update of 20,000 members that ${STREAMS} event streams tell of`, [200], async (target) => {
    for (let index = 0; index < STREAMS; index++) openStream(target)
    return [await changeOfFirst(target, 20_000, 'Streamed')]
  }),
  shape('include', 'the 100,000 beds that refer to a ward, included in it', [200, 413], async (target) => {
    const ward = await wardWith(target, 100_000, 'ward_id')
    return [
      get(`${API}/ward/${ward}?include=beds_by_ward`),
      get(`${API}/ward?include=beds_by_ward&page_size=100`),
      get(`${API}/ward?fields=name,beds_by_ward__count&page_size=100`),
      get(`${API}/bed?filters=${encodeURIComponent('ward__name__icontains=ar')}&sort_by=ward.name`),
    ]
  }),
  shape('webhook-test', '20 tests of a webhook at the same time', [200, 409, 429, 502, 504], async (target) => [
    ...(await Promise.all(times20(() => testOf(target)))),
  ]),
  shape('webhook-events', 'update of 50,000 members that a webhook is told of', [200], async (target) => {
    await webhookOf(target)
    return [await changeOfFirst(target, 50_000, 'Told')]
  }),
]

const times20 = <T>(item: () => T): T[] => Array.from({ length: 20 }, item)

let webhooks: Promise<number> | undefined
/** A webhook whose receiver refuses connections: nothing listens on the port `discard`. */
function webhookOf(target: StallTarget): Promise<number> {
  webhooks ??= send(target, post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/', models: ['member'] })).then(({ text }) =>
    idIn(text),
  )
  return webhooks
}
async function testOf(target: StallTarget): Promise<ShapeRequest> {
  return post(`/api/v1/webhooks/${await webhookOf(target)}/test`, {})
}
