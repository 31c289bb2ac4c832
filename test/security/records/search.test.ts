import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { listeningTest, speak } from '../../helpers/api/raw.ts'
import { play, send } from '../../helpers/api/scenario.ts'
import { ids } from '../../http/records/expected.ts'
import { appTest, permit } from '../access.ts'

const search = (app: TestApp, model: string, parameters: Readonly<Record<string, string>>, as = 'admin') =>
  send(app, { request: `GET /api/v1/models/${model}/search?${new URLSearchParams(parameters)}`, as })

/** A name of no field, near to no other. */
const UNKNOWN = 'qqqqqqqq'

describe('a field that is not searched', () => {
  for (const [model, field, unknown = UNKNOWN] of [
    ['user', 'password'],
    ['user', 'is_superuser'],
    ['user', 'groups'],
    // Which has a name near to that of a field that is searched.
    ['comment', 'guest_email', 'guest_emale'],
    ['comment', 'post__title'],
    ['post', 'metadata'],
    ['post', '__proto__'],
    ['post', 'constructor'],
    ['post', 'toString'],
  ] as const satisfies readonly (readonly [model: string, field: string, unknown?: string])[]) {
    appTest(`${field} of ${model} is as good as one that does not exist`, async (app) => {
      for (const make of [(name: string) => name, (name: string) => `${name},${name}`]) {
        const { status, text } = await search(app, model, { q: 'x', fields: make(field) })
        assert.equal(status, 400)
        const other = await search(app, model, { q: 'x', fields: make(unknown) })
        assert.equal(text.replaceAll(field, '?'), other.text.replaceAll(unknown, '?'))
      }
    })
  }

  appTest('is not put right by its name', async (app) => {
    for (const slip of ['passwrd', 'Password', 'passwords']) {
      const { text } = await search(app, 'user', { q: 'x', fields: slip })
      assert.doesNotMatch(text.replace(slip, ''), /password/i)
    }
  })

  appTest('reveals neither hashes, nor values, nor other records by its results', async (app) => {
    const [user] = await app.app.store.get('user', [3])
    const hash = String(user?.password)
    await play(app, {
      request: 'PUT /api/v1/models/comment/1',
      body: { data: { guest_email: 'zanzibar@example.com' } },
      status: 200,
    })
    for (const [model, q] of [
      ['user', hash],
      ['user', hash.split('$').at(-1) ?? ''],
      ['user', hash.slice(-12)],
      ['comment', 'zanzibar'],
      ['comment', 'zanzibar@example.com'],
    ] as const) {
      for (const fuzzy of ['true', 'false']) {
        const { status, json } = await search(app, model, { q, fuzzy, page_size: '100' })
        assert.equal(status, 200)
        // Parts of an address are words like any other, and may be found elsewhere: of this record nothing is.
        assert.ok(!ids(json).includes(model === 'user' ? 3 : 1), `${model} ${q} ${fuzzy}`)
        assert.doesNotMatch(JSON.stringify(json.hits), /password|guest_email/)
      }
    }
  })

  appTest('of a related record cannot be searched through it', async (app) => {
    await permit(app, 9, 'view_post')
    const { json } = await search(app, 'post', { q: 'lindqvist' }, 'newcomer')
    const own = ids((await search(app, 'post', { q: 'lindqvist' })).json)
    assert.deepEqual(ids(json), own)
    for (const { author } of json.data) assert.deepEqual(Object.keys(author), ['id'])
  })
})

/** In microseconds: of computing, since the machine may have other things to do. */
const MAX_CPU = 200_000

/** What search engines choke on. */
const ODD: readonly (readonly [name: string, q: string, status: number])[] = [
  ['+*', '+*', 200],
  ['~', '~', 200],
  ['x:y', 'x:y', 200],
  ['abcdefghij~8', 'abcdefghij~8', 200],
  ['*', '*', 200],
  ['a field of its own', 'password:*', 200],
  ['quotes and brackets', '"a (b [c {d ^e', 200],
  ['a pattern', '(a+)+$', 200],
  ['emoji', '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿', 200],
  ['marks without a letter', '\u0301\u0301\u200d\ufeff', 200],
  ['names that every object has', '__proto__ constructor hasOwnProperty toString', 200],
  ['only stop words', 'the and of', 200],
  ['NUL', 'ferry\0', 400],
  ['nothing', '', 400],
  ['blanks', ' \t\u3000', 400],
  ['10 kB of words', 'harbour ferry '.repeat(750).slice(0, 10_240), 200],
  ['10 kB of one word', 'a'.repeat(10_240), 200],
  ['10 kB of Chinese', '渡'.repeat(3413), 200],
  ['10 kB of emoji', '😀'.repeat(2560), 200],
  ['10 kB of marks', `e${'\u0301'.repeat(5000)}`, 200],
]

describe('a search for', () => {
  for (const [name, q, status] of ODD) {
    listeningTest(`${name} is answered immediately`, {}, async ({ port, authorization, app, reported }) => {
      await app.searchIndexes.prepare()
      for (const fuzzy of ['true', 'false']) {
        const path = `/api/v1/models/post/search?${new URLSearchParams({ q, fuzzy })}`
        const began = process.cpuUsage()
        const reply = await speak(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`)
        assert.equal(reply.status, status, reply.text.slice(0, 500))
        const { user, system } = process.cpuUsage(began)
        assert.ok(user + system < MAX_CPU, `${name} took ${user + system} µs`)
      }
      assert.deepEqual(reported, [])
    })
  }

  appTest('the text of a record is found as it is stored', async (app) => {
    for (const [index, name] of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].entries()) {
      const data = { name, slug: `odd-${index}`, color: '#112233' }
      const { json } = await play(app, { request: 'POST /api/v1/models/tag', body: { data }, status: 201 })
      const found = await search(app, 'tag', { q: name })
      assert.ok(ids(found.json).includes(json.data.id), name)
    }
  })
})
