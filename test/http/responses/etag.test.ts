import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { dataOf } from '../records/expected.ts'

const TAG = '/api/v1/models/tag/1' as const
const CHANGED = { data: { color: '#000000' } }

const etagOf = (reply: Reply): string => {
  const { etag } = reply.headers
  assert.equal(typeof etag, 'string')
  assert.match(String(etag), /^"[^"]+"$/)
  return String(etag)
}

async function withApp(run: (app: TestApp, etag: string) => Promise<void>): Promise<void> {
  await using app = await openTestApp()
  await run(app, etagOf(await play(app, { request: `GET ${TAG}`, status: 200 })))
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

const stale = (request: Scenario['request'], etag: string, body?: unknown) => ({
  request,
  headers: { 'if-match': etag },
  ...(body === undefined ? {} : { body }),
  status: 412,
  check: ({ json }: Reply) => {
    assert.deepEqual(Object.keys(json).sort(), ['details', 'error', 'status_code'])
    assert.equal(json.status_code, 412)
    assert.equal(typeof json.error, 'string')
  },
})

describe('ETag', () => {
  appTest('stays while the record stays', async (app, etag) =>
    assert.equal(etagOf(await play(app, { request: `GET ${TAG}`, status: 200 })), etag),
  )

  appTest('changes with the record, and is the same after the update as on the next read', async (app, etag) => {
    const updated = etagOf(await play(app, { request: `PUT ${TAG}`, body: CHANGED, status: 200 }))
    assert.notEqual(updated, etag)
    assert.equal(etagOf(await play(app, { request: `GET ${TAG}`, status: 200 })), updated)
  })

  appTest('differs between records', async (app, etag) =>
    assert.notEqual(etagOf(await play(app, { request: 'GET /api/v1/models/tag/2', status: 200 })), etag),
  )

  appTest('of a created record is that of the next read', async (app) => {
    const body = { data: { name: 'Knots', slug: 'knots' } }
    const created = etagOf(await play(app, { request: 'POST /api/v1/models/tag', body, status: 201 }))
    assert.equal(etagOf(await play(app, { request: 'GET /api/v1/models/tag/13', status: 200 })), created)
  })
})

describe('If-None-Match', () => {
  for (const [name, header] of [
    ['the entity tag', (etag: string) => etag],
    ['a list that holds it', (etag: string) => `"other", ${etag}`],
    ['its weak form', (etag: string) => `W/${etag}`],
    ['the suffix of a proxy that compresses', (etag: string) => etag.replace(/"$/, '-gzip"')],
    ['*', () => '*'],
  ] as const) {
    appTest(`returns 304 without a body for ${name}`, async (app, etag) => {
      const headers = { 'if-none-match': header(etag) }
      const reply = await play(app, { request: `GET ${TAG}`, headers, status: 304 })
      assert.equal(reply.text, '')
      assert.equal(reply.headers['content-type'], undefined)
      assert.equal(etagOf(reply), etag)
    })
  }

  appTest('returns the length of the record for HEAD', async (app, etag) => {
    const { text } = await play(app, { request: `GET ${TAG}`, status: 200 })
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}`, 'if-none-match': etag }
    const reply = await app.server.inject({ method: 'HEAD', url: TAG, headers })
    assert.equal(reply.statusCode, 304)
    assert.equal(Number(reply.headers['content-length']), text.length)
  })

  appTest('returns the record for another entity tag', async (app) => {
    const { json } = await play(app, { request: `GET ${TAG}`, headers: { 'if-none-match': '"other"' }, status: 200 })
    assert.equal(json.data.name, 'Lighthouse')
  })

  appTest('returns the record after it has changed', async (app, etag) => {
    await play(app, { request: `PUT ${TAG}`, body: CHANGED, status: 200 })
    const { json } = await play(app, { request: `GET ${TAG}`, headers: { 'if-none-match': etag }, status: 200 })
    assert.equal(json.data.color, '#000000')
  })

  appTest('returns the record after a nested record has changed', async (app) => {
    const etag = etagOf(await play(app, { request: 'GET /api/v1/models/post/1', status: 200 }))
    await play(app, { request: 'PUT /api/v1/models/user/1', body: { data: { first_name: 'Inga' } }, status: 200 })
    const headers = { 'if-none-match': etag }
    const { json } = await play(app, { request: 'GET /api/v1/models/post/1', headers, status: 200 })
    assert.equal(json.data.author.first_name, 'Inga')
  })

  appTest('reveals nothing without a token', async (app, etag) => {
    await play(app, { request: `GET ${TAG}`, as: null, headers: { 'if-none-match': etag }, status: 401 })
    await play(app, { request: `GET ${TAG}`, as: 'newcomer', headers: { 'if-none-match': etag }, status: 403 })
  })
})

describe('If-Match', () => {
  for (const [name, header] of [
    ['the entity tag', (etag: string) => etag],
    ['a list that holds it', (etag: string) => `"other", ${etag}`],
    ['its weak form, which a proxy makes when it compresses', (etag: string) => `W/${etag}`],
    ['a list that holds its weak form', (etag: string) => `"other", W/${etag}`],
    ['the suffix of a proxy that compresses', (etag: string) => etag.replace(/"$/, '-gzip"')],
    ['*', () => '*'],
  ] as const) {
    appTest(`accepts an update with ${name}`, async (app, etag) => {
      await play(app, { request: `PUT ${TAG}`, headers: { 'if-match': header(etag) }, body: CHANGED, status: 200 })
      assert.equal((await dataOf(app, `GET ${TAG}`)).color, '#000000')
    })

    appTest(`accepts a delete with ${name}`, async (app, etag) => {
      await play(app, { request: `DELETE ${TAG}`, headers: { 'if-match': header(etag) }, status: 200 })
      await play(app, { request: `GET ${TAG}`, status: 404 })
    })
  }

  appTest('rejects an update with another entity tag', async (app) => {
    for (const tag of ['"other"', 'W/"other"']) await play(app, stale(`PUT ${TAG}`, tag, CHANGED))
    assert.equal((await dataOf(app, `GET ${TAG}`)).color, '#d9822b')
  })

  appTest('rejects a delete with another entity tag', async (app) => {
    await play(app, stale(`DELETE ${TAG}`, '"other"'))
    await play(app, { request: `GET ${TAG}`, status: 200 })
  })

  appTest('rejects an update after the record has changed', async (app, etag) => {
    await play(app, { request: `PUT ${TAG}`, body: CHANGED, status: 200 })
    await play(app, stale(`PUT ${TAG}`, etag, { data: { color: '#ffffff' } }))
    await play(app, stale(`PUT ${TAG}`, `W/${etag}`, { data: { color: '#ffffff' } }))
    assert.equal((await dataOf(app, `GET ${TAG}`)).color, '#000000')
  })

  appTest('rejects a delete after the record has changed', async (app, etag) => {
    await play(app, { request: `PUT ${TAG}`, body: CHANGED, status: 200 })
    await play(app, stale(`DELETE ${TAG}`, etag))
    await play(app, { request: `GET ${TAG}`, status: 200 })
  })

  appTest('accepts the entity tag of the last update', async (app) => {
    const etag = etagOf(await play(app, { request: `PUT ${TAG}`, body: CHANGED, status: 200 }))
    const again = { data: { color: '#ffffff' } }
    await play(app, { request: `PUT ${TAG}`, headers: { 'if-match': etag }, body: again, status: 200 })
  })

  appTest(
    'rejects the entity tag of another record',
    async (app, etag) => void (await play(app, stale('PUT /api/v1/models/tag/2', etag, CHANGED))),
  )
})
