import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { dataOf, FORBIDDEN, ids, modelNotFound, UNAUTHENTICATED } from '../records/expected.ts'

const POSTS = '/api/v1/models/post/search'
/** The posts with the word ferry, by author and descending title. */
const SORTED = [1, 39, 16, 34, 4, 24]

/** The records that a search finds, in whatever order, and how many they are in all. */
const finds = (model: string, query: string, expected: readonly number[]): Scenario =>
  scenario(`finds ${expected.length} of ${model}`, `GET /api/v1/models/${model}/search?${query}`, 200, {
    check: ({ json }) => {
      assert.deepEqual(
        ids(json).sort((a, b) => a - b),
        expected,
      )
      assert.equal(json.total, expected.length)
      assert.deepEqual(valuesOf(json.hits, 'id'), ids(json), 'each record has its hit')
    },
  })

scenarios('search', [
  scenario(
    'puts the records found into the envelope, and beside them where the words are',
    'GET /api/v1/models/tag/search?q=Ferries',
    200,
    {
      check: ({ json }) => {
        const [{ score, ...hit }, ...others] = json.hits
        assert.deepEqual(
          { ...json, hits: [hit] },
          {
            data: [{ id: 2, name: 'Ferries', slug: 'ferries', color: '#1f6f8b' }],
            total: 1,
            page: 1,
            page_size: 20,
            total_pages: 1,
            has_next: false,
            has_prev: false,
            hits: [{ id: 2, matches: { name: [[0, 7]], slug: [[0, 7]] } }],
          },
        )
        assert.deepEqual(others, [])
        assert.ok(score > 0, `a score of ${score}`)
        assert.equal(score, Number(score.toFixed(4)), 'four decimals')
      },
    },
  ),
  scenario('returns the positions of the words in every stored field', `GET ${POSTS}?q=ferry&page_size=100`, 200, {
    check: ({ json }) => {
      const places = json.hits.flatMap(({ matches }: { matches: Record<string, [number, number][]> }, index: number) =>
        Object.entries(matches).flatMap(([field, list]) =>
          list.map(([start, length]) => String(json.data[index][field]).slice(start, start + length)),
        ),
      )
      assert.ok(places.length > json.total, `${places.length} places`)
      for (const place of places) assert.match(place, /^ferr(y|ies)$/i)
    },
  }),
  scenario('orders by relevance, the display field first', `GET ${POSTS}?q=ferry`, 200, {
    check: ({ json }) => {
      const scores: number[] = json.hits.map(({ score }: { score: number }) => score)
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      )
      assert.deepEqual(ids(json).slice(0, 2).sort(), [34, 4])
    },
  }),
  scenario(
    'orders by fields of the records, over all pages, each with its hit',
    `GET ${POSTS}?q=ferry&sort_by=author_id&sort_by=title&sort_order=asc,desc&page=2&page_size=3`,
    200,
    {
      check: ({ json }) => {
        assert.deepEqual(ids(json), SORTED.slice(3, 6))
        assert.deepEqual(valuesOf(json.hits, 'id'), ids(json))
        assert.ok(json.hits.every(({ score }: { score: number }) => score > 0))
        assert.equal(json.total, SORTED.length)
      },
    },
  ),
  scenario('rejects an order by an unknown field', `GET ${POSTS}?q=ferry&sort_by=titel`, 400, {
    check: ({ json }) => assert.match(JSON.stringify(json.details), /did you mean 'title'/),
  }),
  finds('post', 'q=ferry&fields=title', [4, 34]),
  finds('post', 'q=FERRY&fields=title,summary', [4, 34]),
  finds('post', 'q=ferry%20deck&fields=title', [4]),
  finds('post', 'q=empty%20fer&fields=title', [4]),
  finds('tag', 'q=no-such-thing-anywhere', []),
  finds('post', 'q=ferry&fields=title&filters=id__gt=4', [34]),
  finds('post', 'q=ferry&filters=status=draft', []),
  finds('post', 'q=ferry&fields=title&filters=author__username__ne=admin&filters=id__in=4,5,6', [4]),
  finds('user', 'q=lindqvist', [3]),
  finds('user', 'q=anna.lindqvist@example.org&fields=email', [3]),
  finds('category', 'q=boats&fields=name', [2]),
])

scenarios('search, page by page', [
  scenario('returns the requested page', `GET ${POSTS}?q=ferry&fields=title&page=2&page_size=1`, 200, {
    expectPart: { total: 2, page: 2, page_size: 1, total_pages: 2, has_next: false, has_prev: true },
    check: async ({ json }, app) => {
      const first = (await play(app, { request: `GET ${POSTS}?q=ferry&fields=title&page_size=1`, status: 200 })).json
      assert.deepEqual([...ids(first), ...ids(json)].sort(), [34, 4])
      assert.deepEqual([first.hits.length, json.hits.length, first.has_next], [1, 1, true])
    },
  }),
  scenario('is empty past the end', `GET ${POSTS}?q=ferry&fields=title&page=3&page_size=1`, 200, {
    expectPart: { data: [], hits: [], total: 2, page: 3, total_pages: 2, has_next: false, has_prev: true },
  }),
  scenario('is empty when nothing is found', `GET ${POSTS}?q=xylophone`, 200, {
    expect: { data: [], total: 0, page: 1, page_size: 20, total_pages: 0, has_next: false, has_prev: false, hits: [] },
  }),
])

scenarios('search for more or other than there is', [
  scenario('finds no misspelt word', `GET ${POSTS}?q=fery`, 200, { expectPart: { total: 0 } }),
  scenario('finds one when it may', `GET ${POSTS}?q=fery&fuzzy=true&fields=title`, 200, {
    check: ({ json }) => {
      for (const id of [4, 34]) assert.ok(ids(json).includes(id), `${id} is not among ${ids(json)}`)
    },
  }),
  scenario('accepts fuzzy=false', `GET ${POSTS}?q=fery&fuzzy=false`, 200, { expectPart: { total: 0 } }),
  scenario('falls back to records with some of the words, with a notice', `GET ${POSTS}?q=ferry%20xylophone&fields=title`, 200, {
    expectPart: { total: 2, notices: ['No record has all of the words; these have some of them'] },
  }),
  scenario('lists ignored words', `GET ${POSTS}?q=${Array.from({ length: 12 }, (_, index) => `ferry${index}`).join('+')}`, 200, {
    check: ({ json }) => assert.match(String(json.notices), /10/),
  }),
])

/** A bad query parameter: shape B, and the details name it alone. */
const refused = (query: string, parameter: string, details: RegExp = new RegExp(parameter)): Scenario =>
  scenario(`refuses ${query}`, `GET ${POSTS}?${query}`, 400, {
    expectPart: { error: 'Invalid request data', status_code: 400 },
    check: ({ json }) => {
      assert.deepEqual(Object.keys(json.details), [parameter])
      assert.match(String(json.details[parameter]), details)
    },
  })

scenarios('search with a bad query', [
  refused('', 'q', /missing/),
  refused('q=', 'q', /empty/),
  refused('q=%20', 'q', /empty/),
  refused('q=a&q=b', 'q'),
  refused('q=a&page=0', 'page'),
  refused('q=a&page_size=101', 'page_size'),
  refused('q=a&page=1.5', 'page'),
  refused('q=a&fuzzy=1', 'fuzzy', /true or false/),
  refused('q=a&fields=tilte', 'fields', /'title'/),
  refused('q=a&fields=author', 'fields', /known: title/),
  refused('q=a&filters=ratng=1', 'filters', /'rating'/),
  refused('q=a&sort_order=asc', 'sort_order'),
  refused('q=a&fuzy=true', 'fuzy', /'fuzzy'/),
])

scenarios('permissions of search', [
  scenario('401 without a token', `GET ${POSTS}?q=ferry`, 401, { as: null, expect: UNAUTHENTICATED }),
  scenario('403 without permission', `GET ${POSTS}?q=ferry`, 403, { as: 'newcomer', expect: FORBIDDEN }),
  scenario('not even a wrong search', `GET ${POSTS}`, 403, { as: 'newcomer', expect: FORBIDDEN }),
  scenario('no model that is not there', 'GET /api/v1/models/spaceship/search?q=x', 404, { expect: modelNotFound('spaceship') }),
  scenario('no model of the server’s own', 'GET /api/v1/models/authsession/search?q=x', 404, {
    expect: modelNotFound('authsession'),
  }),
  scenario('related records are nested with permission to view them', `GET ${POSTS}?q=ferry&fields=title`, 200, {
    check: ({ json }) => assert.equal(typeof json.data[0].author.username, 'string'),
  }),
  scenario('related records are ids otherwise', `GET ${POSTS}?q=ferry&fields=title`, 200, {
    as: 'anna.lind',
    check: ({ json }) => assert.deepEqual(Object.keys(json.data[0].author), ['id']),
  }),
  scenario('rejects filters by a model without view permission', `GET ${POSTS}?q=ferry&filters=author__username=admin`, 403, {
    as: 'anna.lind',
    expect: FORBIDDEN,
  }),
])

const NOTE = `
- name: Note
  fields:
    - { name: number, type: integer }
    - { name: hidden, type: string, searchable: false }
`
scenarios('search of a model without text', { files: { 'models/note.yaml': NOTE, ...ADMIN_SEED } }, [
  scenario('explains how to make fields searchable', 'GET /api/v1/models/note/search?q=x', 400, {
    check: ({ json }) =>
      assert.match(json.details, /^Note has no searchable field; .* type string, text.* without `searchable: false`$/),
  }),
])

async function withApp(work: (app: TestApp) => Promise<void>, options: Parameters<typeof openTestApp>[0] = {}): Promise<void> {
  await using app = await openTestApp(options)
  await work(app)
  assert.deepEqual(app.reported, [])
}

const found = async (app: TestApp, q: string, model = 'tag'): Promise<number[]> =>
  ids((await play(app, { request: `GET /api/v1/models/${model}/search?q=${q}`, status: 200 })).json).sort((a, b) => a - b)

describe('search after a write', () => {
  test('finds created, changed and deleted records, and no rejected ones', () =>
    withApp(async (app) => {
      const tag = { name: 'Bowline', slug: 'a', color: '#112233' }
      assert.deepEqual(await found(app, 'bowline'), [])
      await dataOf(app, 'POST /api/v1/models/tag', { body: { data: tag }, status: 201 })
      assert.deepEqual(await found(app, 'bowline'), [13])
      await dataOf(app, 'POST /api/v1/models/tag', { body: { data: { ...tag, slug: 'c' } }, status: 400 })
      await dataOf(app, 'PUT /api/v1/models/tag/12', { body: { data: { name: 'Bowline' } }, status: 400 })
      assert.deepEqual(await found(app, 'bowline'), [13])
      await dataOf(app, 'PUT /api/v1/models/tag/13', { body: { data: { name: 'Clove hitch' } } })
      assert.deepEqual([await found(app, 'bowline'), await found(app, 'clove')], [[], [13]])
      await dataOf(app, 'DELETE /api/v1/models/tag/13')
      assert.deepEqual(await found(app, 'clove'), [])
    }))

  test('finds the changes of bulk operations and cascades', () =>
    withApp(async (app) => {
      const comments = await found(app, 'harbour', 'comment')
      const records = [1, 2, 3].map((index) => ({ post_id: index, body: `Zanzibar ${index}` }))
      const created = ids({ data: await dataOf(app, 'POST /api/v1/models/comment/bulk', { body: { records }, status: 201 }) })
      assert.deepEqual(await found(app, 'zanzibar', 'comment'), created)
      await dataOf(app, 'DELETE /api/v1/models/post/1')
      assert.deepEqual(await found(app, 'zanzibar', 'comment'), created.slice(1))
      await dataOf(app, 'DELETE /api/v1/models/comment/bulk', { body: { ids: created.slice(1) } })
      assert.deepEqual(await found(app, 'zanzibar', 'comment'), [])
      assert.ok(
        (await found(app, 'harbour', 'comment')).every((id) => comments.includes(id)),
        'others are as they were',
      )
    }))

  test('finds new records immediately, with consistent pages during writes', () =>
    withApp(async (app) => {
      let isOver = false
      let writes = 0
      const writer = async (number: number) => {
        while (!isOver) {
          const data = { name: `Bowline ${number}`, slug: `w${number}-${writes++}`, color: '#112233' }
          const { id } = (await dataOf(app, 'POST /api/v1/models/tag', { body: { data }, status: 201 })) as { id: number }
          assert.ok((await found(app, data.slug)).includes(id), `${data.slug} is not found`)
          await dataOf(app, `PUT /api/v1/models/tag/${id}`, { body: { data: { name: `Clove hitch ${number}` } } })
          await dataOf(app, `DELETE /api/v1/models/tag/${id}`)
        }
      }
      const writers = Promise.all([1, 2, 3, 4].map(writer))
      for (let round = 0; round < 60; round++) {
        const filter = round % 2 === 0 ? '' : '&filters=id__gt=12'
        const { json } = await play(app, { request: `GET /api/v1/models/tag/search?q=bowline&fields=name${filter}`, status: 200 })
        const names = (json.data as { name: string }[]).map(({ name }) => name)
        assert.ok(
          names.every((name) => name.startsWith('Bowline')),
          names.join(),
        )
        assert.ok(json.hits.every(({ matches }: { matches: Record<string, unknown> }) => matches.name !== undefined))
        assert.ok(json.total <= 4, `${json.total} of four`)
      }
      isOver = true
      await writers
    }))

  test('finds the same when the server was started again', () =>
    withApp(async (app) => {
      await dataOf(app, 'PUT /api/v1/models/tag/1', { body: { data: { name: 'Bowline' } } })
      assert.deepEqual(await found(app, 'bowline'), [1])
      const again = await app.reopen()
      assert.deepEqual([await found(again, 'bowline'), await found(again, 'lighthouse&fields=name')], [[1], []])
    }))
})

describe('search before its index is built', () => {
  test('is 503 with Retry-After, no failure, and all is well later', () =>
    withApp(
      async (app) => {
        const early = await play(app, { request: 'GET /api/v1/models/tag/search?q=ferries', status: 503 })
        assert.equal(early.headers['retry-after'], '2')
        assert.deepEqual(early.json, {
          error: 'Search is not ready',
          status_code: 503,
          details: 'The search index of Tag is not ready yet; try again in 2 seconds',
        })
        await app.app.searchIndexes.make(app.app.project.registry.expect('tag'))
        assert.deepEqual(await found(app, 'ferries'), [2])
      },
      // PostgreSQL has no such index: it searches the changes that no words are stored of.
      { searchWait: async () => {}, engine: 'embedded' },
    ))

  test('waits for the index: five concurrent searches are answered', () =>
    withApp(async (app) => {
      const all = await Promise.all(Array.from({ length: 5 }, () => found(app, 'ferries')))
      assert.deepEqual(all, Array(5).fill([2]))
    }))
})

describe('search beside the rest', () => {
  test('counts towards the rate limit', () =>
    withApp(
      async (app) => {
        const statuses = []
        for (let count = 0; count < 3; count++) statuses.push((await send(app, { request: `GET ${POSTS}?q=ferry` })).status)
        assert.deepEqual(statuses, [200, 200, 429])
      },
      { settings: { rate_limits: { default: 2, auth: 0, upload: 0 } } },
    ))

  test('is a route of its own in the metrics', () =>
    withApp(
      async (app) => {
        await send(app, { request: `GET ${POSTS}?q=ferry` })
        const { text } = await send(app, { request: 'GET /metrics' })
        assert.match(
          text,
          /admin_http_requests_total\{method="GET",route="\/api\/v1\/models\/\{model\}\/search",status="200"\} 1\n/,
        )
      },
      { settings: { metrics: 'open' } },
    ))
})
