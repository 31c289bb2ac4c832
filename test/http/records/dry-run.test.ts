import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MODELS = '/api/v1/models'

const withBlog = async (work: (app: TestApp) => Promise<void>): Promise<void> => {
  await using app = await openTestApp()
  await work(app)
}

const blogTest = testsOf(withBlog)

const ask = (app: TestApp, request: string, body?: unknown, as = 'admin'): Promise<Reply> =>
  send(app, { request: request as Scenario['request'], as, ...(body === undefined ? {} : { body }) })

const total = async (app: TestApp, path: string): Promise<number> => (await ask(app, `GET ${MODELS}/${path}`)).json.total

describe('a dry run', () => {
  blogTest('of a create answers what would be stored, or the same errors, and stores nothing', async (app) => {
    const before = await total(app, 'tag')
    const good = await ask(app, `POST ${MODELS}/tag?dry_run=true`, { data: { name: 'Reef', slug: 'reef' } })
    assert.deepEqual([good.status, good.json.data.name, good.headers.location], [200, 'Reef', undefined])
    const bad = { data: { name: '', slug: 'x y' } }
    const [rehearsed, real] = [await ask(app, `POST ${MODELS}/tag?dry_run=true`, bad), await ask(app, `POST ${MODELS}/tag`, bad)]
    assert.deepEqual([rehearsed.status, rehearsed.json], [real.status, real.json])
    const many = await ask(app, `POST ${MODELS}/tag/bulk?dry_run=true`, {
      records: [
        { name: 'A', slug: 'a' },
        { name: 'B', slug: 'b' },
      ],
    })
    assert.deepEqual([many.status, many.json.total], [200, 2])
    assert.equal(await total(app, 'tag'), before)
    assert.equal((await ask(app, `POST ${MODELS}/tag`, { data: { name: 'Reef', slug: 'reef' } })).status, 201)
  })

  blogTest('of an update answers the record as it would be, judged by If-Match and permissions', async (app) => {
    const [before, etag] = await ask(app, `GET ${MODELS}/tag/1`).then(({ json, headers }) => [json.data, String(headers.etag)])
    const reply = await ask(app, `PUT ${MODELS}/tag/1?dry_run=true`, { data: { name: 'Other' } })
    assert.deepEqual([reply.status, reply.json.data.name], [200, 'Other'])
    assert.deepEqual((await ask(app, `GET ${MODELS}/tag/1`)).json.data, before)
    const stale = await send(app, {
      request: `PUT ${MODELS}/tag/1?dry_run=true`,
      body: { data: { name: 'Other' } },
      headers: { 'if-match': etag.replace('"', '"x') },
    })
    assert.equal(stale.status, 412)
    const bulk = await ask(app, `PUT ${MODELS}/tag/bulk?dry_run=true`, { updates: [{ id: 1, data: { name: 'Z' } }] })
    assert.equal(bulk.json.data[0].name, 'Z')
    assert.deepEqual((await ask(app, `GET ${MODELS}/tag/1`)).json.data, before)
  })

  blogTest('of an update of a user changes no password and ends no session', async (app) => {
    const token = await app.tokenOf('admin')
    const reply = await ask(app, `PUT ${MODELS}/user/1?dry_run=true`, { data: { password: 'another-harbour-2025' } })
    assert.equal(reply.status, 200)
    assert.ok(await app.app.logins.actorOf(app.app.logins.claimsOf(token)))
    assert.ok(app.logged.every((line) => !line.includes('password_changed')))
  })

  blogTest('of a deletion names what goes with it, and what prevents it', async (app) => {
    const post = await ask(app, `DELETE ${MODELS}/post/1?dry_run=true`)
    assert.equal(post.status, 200)
    const comments = await total(app, 'comment?filters=post_id=1')
    assert.ok(comments > 0)
    assert.deepEqual(
      post.json.consequences.filter(({ model }: { model: string }) => model === 'comment'),
      [{ model: 'comment', action: 'cascade', count: comments }],
    )
    assert.deepEqual(post.json.blocked_by, [])
    const used = (await ask(app, `GET ${MODELS}/post?filters=category_id__isnull=false&page_size=1`)).json.data[0].category_id
    const category = await ask(app, `DELETE ${MODELS}/category/bulk?dry_run=true`, { ids: [used] })
    const real = await ask(app, `DELETE ${MODELS}/category/${used}`)
    assert.equal(real.status === 409, category.json.blocked_by.length > 0)
    assert.equal((await ask(app, `GET ${MODELS}/post/1`)).status, 200, 'the post is still there')
  })

  blogTest('needs the permission of what it rehearses', async (app) => {
    const users = (await ask(app, `GET ${MODELS}/user?filters=is_superuser=false&page_size=100`)).json.data
    const outsider = users.find(({ username }: { username: string }) => username !== 'admin').username
    for (const [request, body] of [
      ['POST', { data: { name: 'A', slug: 'a' } }],
      ['DELETE', undefined],
    ] as const) {
      const path = request === 'POST' ? 'group' : 'group/1'
      const [dry, real] = [
        await ask(app, `${request} ${MODELS}/${path}?dry_run=true`, body, outsider),
        await ask(app, `${request} ${MODELS}/${path}`, body, outsider),
      ]
      assert.deepEqual([dry.status, dry.json], [real.status, real.json])
      assert.equal(dry.status, 403)
    }
  })

  blogTest('refuses another value, and other parameters', async (app) => {
    const reply = await ask(app, `POST ${MODELS}/tag?dry_run=yes`, { data: { name: 'A', slug: 'a' } })
    assert.deepEqual([reply.status, reply.json.details.dry_run], [400, ["'dry_run' must be true or false, not 'yes'"]])
    assert.equal((await ask(app, `DELETE ${MODELS}/tag/1?dryrun=true`)).status, 400)
  })
})

describe('a write by filters', () => {
  blogTest('changes all matches over all pages, in one transaction', async (app) => {
    const drafts = await total(app, 'post?filters=status=draft')
    assert.ok(drafts > 2)
    const body = { filters: ['status=draft'], expected_total: drafts, data: { rating: 4 } }
    const dry = await ask(app, `PUT ${MODELS}/post/bulk?dry_run=true`, body)
    assert.deepEqual([dry.status, dry.json.total], [200, drafts])
    assert.notEqual(await total(app, 'post?filters=status=draft&filters=rating=4'), drafts)
    const done = await ask(app, `PUT ${MODELS}/post/bulk`, body)
    assert.deepEqual([done.status, done.json.total], [200, drafts])
    assert.equal(await total(app, 'post?filters=status=draft&filters=rating=4'), drafts)
  })

  blogTest('is refused with 409 when another number matches, and changes nothing', async (app) => {
    const before = await total(app, 'comment')
    const reply = await ask(app, `DELETE ${MODELS}/comment/bulk`, { filters: [], expected_total: before - 1 })
    assert.equal(reply.status, 409)
    assert.match(reply.json.details, new RegExp(`${before - 1} records of Comment were expected to match, and ${before} do`))
    assert.equal(await total(app, 'comment'), before)
    const all = await ask(app, `DELETE ${MODELS}/comment/bulk`, { filters: [], expected_total: before })
    assert.deepEqual([all.status, all.json.message], [200, `${before} records deleted successfully`])
    assert.equal(await total(app, 'comment'), 0)
  })

  blogTest('takes groups of filters, and words as a search does', async (app) => {
    const found = await total(app, 'comment/search?q=harbour')
    const words = await ask(app, `DELETE ${MODELS}/comment/bulk?dry_run=true`, {
      filters: [],
      search: 'harbour',
      expected_total: found,
    })
    assert.deepEqual([words.status, words.json.total], [200, found])
    const grouped = await total(app, 'post?any=status=draft|rating=5')
    const groups = await ask(app, `PUT ${MODELS}/post/bulk?dry_run=true`, {
      ...{ filters: [], any: ['status=draft|rating=5'], expected_total: grouped, data: { rating: 3 } },
    })
    assert.deepEqual([groups.status, groups.json.total], [200, grouped])
  })

  blogTest('names the record of an error by its id, and the member of a faulty body', async (app) => {
    const tags = await total(app, 'tag')
    const clash = await ask(app, `PUT ${MODELS}/tag/bulk`, { filters: ['id__lte=2'], expected_total: 2, data: { slug: 'same' } })
    assert.equal(clash.status, 400)
    assert.ok('2.slug' in clash.json.detail.error || '1.slug' in clash.json.detail.error, JSON.stringify(clash.json))
    const faulty = await ask(app, `DELETE ${MODELS}/tag/bulk`, { filters: 'id=1' })
    assert.deepEqual(Object.keys(faulty.json.detail.error), ['filters', 'expected_total'])
    const unknown = await ask(app, `DELETE ${MODELS}/tag/bulk`, { filters: ['nme=x'], expected_total: 0 })
    assert.match(JSON.stringify(unknown.json), /did you mean 'name'/)
    assert.equal(await total(app, 'tag'), tags)
  })
})
