import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { ERRORS } from '../../src/errors.ts'
import type { TestApp } from '../helpers/api/app.ts'
import { play, send } from '../helpers/api/scenario.ts'
import { testsOf } from '../helpers/tests-of.ts'
import { appTest, withApp } from './access.ts'

const POST = '/api/v1/models/post/1'
const COMMENTS = '/api/v1/models/comment'
/** Of the kind that a body may be. */
const LONG = 3 * 1024 * 1024

/** Gives a post a long text, and comments in which it is nested. */
async function crowd(app: TestApp, comments: number) {
  await play(app, { request: `PUT ${POST}`, body: { data: { body: 'x'.repeat(LONG) } }, status: 200 })
  const records = Array.from({ length: comments }, (_, index) => ({ post_id: 1, body: `Comment ${index}` }))
  return play(app, { request: `POST ${COMMENTS}/bulk`, body: { records }, status: 201 })
}

/** An application whose records may have a long text. */
const withLongTexts = (work: (app: TestApp) => Promise<void>) => withApp(work, { settings: { max_record_bytes: 2 * LONG } })

const longTextsTest = testsOf(withLongTexts)

describe('a response that would take too much memory', () => {
  longTextsTest('is rejected with a remedy', async (app) => {
    await crowd(app, 20)
    const request = `GET ${COMMENTS}?page_size=100&filters=post_id=1` as const
    const { status, json } = await send(app, { request })
    assert.equal(status, 400)
    assert.equal(json.error, ERRORS.ANSWER_TOO_LARGE.message)
    assert.match(json.details, /would exceed 16 MiB; request fewer records or fields/)
    assert.ok((await play(app, { request: `${request}&fields=id,body`, status: 200 })).json.total >= 20, 'without the posts')
    await play(app, { request: `${request.replace('100', '3')}` as typeof request, status: 200 })
  })

  longTextsTest('is rejected for a search too, which returns at most a thousand positions in a field', async (app) => {
    await crowd(app, 20)
    const request = `GET ${COMMENTS}/search?q=comment&page_size=100&filters=post_id=1` as const
    const { status, json } = await send(app, { request })
    assert.deepEqual([status, json.error], [400, ERRORS.ANSWER_TOO_LARGE.message])
    const body = 'zanzibar and '.repeat(5000)
    await play(app, { request: `PUT ${POST}`, body: { data: { body } }, status: 200 })
    const { hits } = (await play(app, { request: 'GET /api/v1/models/post/search?q=zanzibar', status: 200 })).json
    assert.deepEqual([hits[0].matches.body.length, hits[0].matches.body[999]], [1000, [12_987, 8]])
  })

  longTextsTest('contains only the ids after a write, which is committed', async (app) => {
    const { json } = await crowd(app, 20)
    assert.equal(json.total, 20)
    for (const record of json.data) assert.deepEqual(Object.keys(record), ['id'])
    const deleted = await play(app, {
      request: `DELETE ${COMMENTS}/bulk`,
      body: { ids: json.data.map(({ id }: { id: number }) => id) },
      status: 200,
    })
    assert.deepEqual(deleted.json.data, json.data)
  })

  longTextsTest('is not one of few or short records', async (app) => {
    const { json } = await crowd(app, 2)
    assert.equal(json.data[0].post.body.length, LONG)
    assert.equal((await play(app, { request: `GET ${POST}`, status: 200 })).json.data.body.length, LONG)
  })
})

describe('a refusal of thousands of names', () => {
  const names = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`formid${index}`, 1]))
  for (const [what, request, body, at] of [
    ['members of a body', 'PUT /api/v1/models/tag/1', { data: { name: 'x' }, ...names }, ''],
    ['members of a bulk item', 'PUT /api/v1/models/tag/bulk', { updates: [{ id: 1, data: { name: 'x' }, ...names }] }, '0.'],
    ['fields', 'PUT /api/v1/models/tag/1', { data: names }, ''],
  ] as const) {
    appTest(`names no more than a thousand ${what}`, async (app) => {
      const { json } = await play(app, { request, body, status: 400 })
      assert.equal(Object.keys(json.detail.error).length, 1000)
      assert.ok(Object.hasOwn(json.detail.error, `${at}formid0`), 'by name')
    })
  }

  appTest('does not repeat a very long form_id', async (app) => {
    const body = { data: { name: 'x' }, form_id: 'F'.repeat(100_000) }
    const { text } = await play(app, { request: 'PUT /api/v1/models/tag/1', body, status: 400 })
    assert.match(text, /form_id must be at most 200 characters long/)
    assert.ok(text.length < 200, text.slice(0, 300))
  })
})
