import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { AdminError, createClient } from '../../src/client/client.ts'
import { dataProvider } from '../../src/client/react-admin.ts'
import { dataProvider as refineProvider } from '../../src/client/refine.ts'
import { documentOf, projectOf } from '../openapi/documents.ts'

const API = 'http://127.0.0.1:8000/api/v1'

/** A request that a client has sent. */
interface Noted {
  readonly request: string
  readonly type: string | null
  /** Names and contents of parts; the content of another body. */
  readonly body: unknown
}

const note = async (input: unknown, init: RequestInit = {}): Promise<Noted> => {
  const { body } = init
  const parts = body instanceof FormData ? [...body.entries()] : []
  const read = async ([name, value]: [string, FormDataEntryValue]) =>
    value instanceof File ? [name, value.name, await value.text()] : [name, value]
  const sent = body instanceof FormData ? await Promise.all(parts.map(read)) : body instanceof Blob ? await body.text() : body
  return {
    request: `${init.method} ${String(input).replace(API, '')}`,
    type: new Headers(init.headers).get('content-type'),
    body: typeof sent === 'string' && sent.startsWith('{') ? JSON.parse(sent) : sent,
  }
}

type FormDataEntryValue = string | File

/** A client whose server gives each upload the id `up-<number>`, and answers writes with what they send. */
function faked(answers: Readonly<Record<string, () => Response>> = {}) {
  const sent: Noted[] = []
  let uploads = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const noted = await note(input, init)
    sent.push(noted)
    const { request, body } = noted
    const answer = Object.entries(answers).find(([start]) => request.startsWith(start))?.[1]
    if (answer !== undefined) return answer()
    if (request.startsWith('POST /files/links')) return Response.json({ data: (body as { files: string[] }).files.map(signed) })
    if (request.startsWith('POST /files/')) {
      const count = Array.isArray(body) ? body.length : 1
      const data = Array.from({ length: count }, () => ({ id: `up-${++uploads}` }))
      return Response.json({ data, total: count }, { status: 201 })
    }
    return Response.json({ data: { id: 1, ...(body as { data?: object } | undefined)?.data } })
  }
  return { client: createClient({ url: 'http://127.0.0.1:8000', token: 'x', fetch }), sent }
}

const signed = (url: string): string => `${url}?signature=abc`

const png = new File(['pixels'], 'a b.png', { type: 'image/png' })
const pdf = new File(['pages'], 'c.pdf', { type: 'application/pdf' })

describe('uploads of the client', () => {
  test('send one file as the body, with its type and name', async () => {
    const { client, sent } = faked()
    assert.deepEqual(await client.model('article').upload('cover', png), [{ id: 'up-1' }])
    await client.model('article').upload('cover', new Blob(['?']))
    assert.deepEqual(sent, [
      { request: 'POST /files/article/cover?name=a+b.png', type: 'image/png', body: 'pixels' },
      { request: 'POST /files/article/cover', type: 'application/octet-stream', body: '?' },
    ])
  })

  test('send several files as parts of a form, 20 a request', async () => {
    const { client, sent } = faked()
    const uploaded = await client.model('article').upload(
      'gallery',
      Array.from({ length: 21 }, () => png),
    )
    assert.deepEqual(
      uploaded.map(({ id }) => id),
      Array.from({ length: 21 }, (_, index) => `up-${index + 1}`),
    )
    assert.deepEqual(
      sent.map(({ request, body }) => [request, Array.isArray(body) ? body.length : body]),
      [
        ['POST /files/article/gallery', 20],
        ['POST /files/article/gallery?name=a+b.png', 'pixels'],
      ],
    )
    const [parts] = sent.map(({ body }) => body as readonly unknown[])
    assert.deepEqual(parts?.[0], ['file', 'a b.png', 'pixels'])
  })

  test('go before the write that names them', async () => {
    const { client, sent } = faked()
    const articles = client.model('article')
    await articles.create({ title: 'a', cover: png, gallery: ['old-1', pdf, { id: 'old-2', alt: 'Sea' }, png] })
    await articles.update(1, { cover: pdf })
    assert.deepEqual(
      sent.map(({ request, body }) => [request, request.includes('/models/') ? body : undefined]),
      [
        ['POST /files/article/cover?name=a+b.png', undefined],
        ['POST /files/article/gallery', undefined],
        [
          'POST /models/article',
          { data: { title: 'a', cover: 'up-1', gallery: ['old-1', 'up-2', { id: 'old-2', alt: 'Sea' }, 'up-3'] } },
        ],
        ['POST /files/article/cover?name=c.pdf', undefined],
        ['PUT /models/article/1', { data: { cover: 'up-4' } }],
      ],
    )
  })

  test('that are refused write nothing', async () => {
    const refusal = { detail: { error: { cover: ['cover must not be larger than 8 MiB'] } } }
    const { client, sent } = faked({ 'POST /files/': () => Response.json(refusal, { status: 400 }) })
    const isRefusal = (error: unknown) =>
      error instanceof AdminError && error.fieldErrors.cover?.[0] === 'cover must not be larger than 8 MiB'
    await assert.rejects(client.model('article').create({ cover: png }), isRefusal)
    assert.equal(sent.length, 1)
  })
})

describe('progress of uploads', () => {
  /** An XMLHttpRequest that sends in two steps. */
  class FakeXhr {
    static readonly opened: FakeXhr[] = []
    readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {}
    readonly headers: Record<string, string> = {}
    status = 0
    statusText = ''
    responseText = ''
    target = ''
    onload?: () => void
    onabort?: () => void
    open(method: string, url: string) {
      this.target = `${method} ${url}`
      FakeXhr.opened.push(this)
    }
    setRequestHeader(name: string, value: string) {
      this.headers[name] = value
    }
    getAllResponseHeaders = () => 'content-type: application/json\r\nx-request-id: r1\r\n'
    send(body: Blob | FormData) {
      const total = body instanceof Blob ? body.size : 1000
      this.upload.onprogress?.({ loaded: total / 2, total })
      this.upload.onprogress?.({ loaded: total, total })
      this.status = 201
      this.responseText = JSON.stringify({ data: [{ id: 'x' }], total: 1 })
      this.onload?.()
    }
    abort() {
      this.onabort?.()
    }
  }

  const withXhr = (xhr: unknown) => Object.defineProperty(globalThis, 'XMLHttpRequest', { value: xhr, configurable: true })
  afterEach(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'))

  test('is told by XMLHttpRequest, in bytes of the files', async () => {
    withXhr(FakeXhr)
    const { client, sent } = faked()
    const told: [number, number][] = []
    const onProgress = (done: number, total: number) => told.push([done, total])
    await client.model('article').upload('cover', png, { onProgress })
    await client.model('article').upload('gallery', [png, png], { onProgress })
    assert.deepEqual(told, [
      [3, 6],
      [6, 6],
      [6, 12],
      [12, 12],
    ])
    assert.deepEqual(sent, [])
    const [first] = FakeXhr.opened
    assert.equal(first?.target, `POST ${API}/files/article/cover?name=a+b.png`)
    assert.deepEqual(first?.headers, { authorization: 'Bearer x', 'content-type': 'image/png' })
  })

  test('is not told without XMLHttpRequest', async () => {
    const { client, sent } = faked()
    await client.model('article').upload('cover', png, { onProgress: () => assert.fail('nothing is known') })
    assert.equal(sent.length, 1)
  })

  test('ends with the reason of the signal', async () => {
    withXhr(
      class extends FakeXhr {
        override send() {}
      },
    )
    const { client } = faked()
    const ends = new AbortController()
    const upload = client.model('article').upload('cover', png, { onProgress: () => {}, signal: ends.signal })
    setImmediate(() => ends.abort(new Error('enough')))
    await assert.rejects(upload, /^Error: enough$/)
  })
})

describe('addresses of files', () => {
  const file = { url: '/api/v1/files/article/17/cover/k3J9x0aQ2m-1f' }

  test('have a thumbnail, or are for saving', () => {
    const { files } = faked().client
    assert.equal(files.url(file), `${API}/files/article/17/cover/k3J9x0aQ2m-1f`)
    assert.equal(files.url(file, { thumbnail: 'card' }), `${API}/files/article/17/cover/k3J9x0aQ2m-1f?thumbnail=card`)
    assert.equal(files.url(file, { download: true }), `${API}/files/article/17/cover/k3J9x0aQ2m-1f?download=true`)
    assert.equal(createClient({ url: '' }).files.url(file), file.url)
    assert.equal(
      createClient({ url: 'https://example.com/base/' }).files.url({ url: `/base${file.url}` }),
      `https://example.com/base${file.url}`,
    )
  })

  test('are signed in one request, in their order', async () => {
    const { client, sent } = faked()
    const urls = [client.files.url(file), '/api/v1/files/article/1/cover/a?thumbnail=card']
    assert.deepEqual(await client.files.links(urls, { expiresIn: 600 }), [
      `${API}/files/article/17/cover/k3J9x0aQ2m-1f?signature=abc`,
      `${API}/files/article/1/cover/a?thumbnail=card?signature=abc`,
    ])
    assert.deepEqual(sent[0]?.body, { files: [file.url, '/api/v1/files/article/1/cover/a?thumbnail=card'], expires_in: 600 })
  })
})

const ARTICLE =
  'name: Article\nfields:\n  - { name: title, type: string }\n  - { name: cover, type: image }\n  - { name: papers, type: file, multiple: true }\n'
const document = JSON.stringify(documentOf(await projectOf({ 'models/article.yaml': ARTICLE })))

const STORED = {
  ...{ id: 'k3J9x0aQ2m-1', name: 'a.png', type: 'image/png', size: 6, sha256: 'ab', width: 1, height: 1, alt: null },
  ...{ uploaded_at: '2026-01-01T00:00:00.000Z', url: '/api/v1/files/article/1/cover/k3J9x0aQ2m-1' },
}

const described = () =>
  faked({
    'GET /openapi.json': () => new Response(document),
    'GET /models/article/1': () =>
      Response.json({ data: { id: 1, title: 'a', cover: STORED, papers: [STORED] } }, { headers: { etag: '"1"' } }),
  })

const writes = (sent: readonly Noted[]) => sent.filter(({ request }) => /^(POST|PUT)/.test(request))

describe('files in react-admin', () => {
  test('are shown by their address and name', async () => {
    const { data } = await dataProvider(described().client).getOne('article', { id: 1 })
    const shown = { ...STORED, src: `http://127.0.0.1:8000${STORED.url}`, title: 'a.png' }
    assert.deepEqual([data.cover, data.papers], [shown, [shown]])
  })

  test('are uploaded from inputs before the record is written', async () => {
    const { client, sent } = described()
    const provider = dataProvider(client)
    const cover = { rawFile: png, src: 'blob:1', title: 'a b.png' }
    await provider.create('article', { data: { title: 'a', cover, papers: [{ rawFile: pdf, src: 'blob:2', title: 'c.pdf' }] } })
    assert.deepEqual(writes(sent).at(-1), {
      request: 'POST /models/article',
      type: 'application/json',
      body: { data: { title: 'a', cover: 'up-1', papers: ['up-2'] } },
    })
  })

  test('that did not change are not sent; others are named by id', async () => {
    const { client, sent } = described()
    const provider = dataProvider(client)
    const { data: previousData } = await provider.getOne('article', { id: 1 })
    const papers = [{ rawFile: pdf, src: 'blob:2', title: 'c.pdf' }, ...previousData.papers]
    await provider.update('article', { id: 1, data: { ...previousData, papers }, previousData })
    assert.deepEqual(
      writes(sent).map(({ request, body }) => [request, body]),
      [
        ['POST /files/article/papers?name=c.pdf', 'pages'],
        ['PUT /models/article/1', { data: { papers: ['up-1', { id: STORED.id, name: 'a.png', alt: null }] } }],
      ],
    )
  })
})

describe('files in refine', () => {
  test('are uploaded from a File, and from an item of the Upload of Ant Design', async () => {
    const { client, sent } = described()
    const papers = [{ uid: '1', name: 'c.pdf', originFileObj: pdf }]
    await refineProvider(client).create({ resource: 'article', variables: { title: 'a', cover: png, papers } })
    assert.deepEqual(writes(sent).at(-1)?.body, { data: { title: 'a', cover: 'up-1', papers: ['up-2'] } })
  })
})
