import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, send } from '../../helpers/api/scenario.ts'
import { USER_MODEL } from '../../helpers/user-model.ts'
import { dataOf, FORBIDDEN } from '../../http/records/expected.ts'
import { appTest, permit } from '../access.ts'

// Anna, of the authors, sees posts, comments, categories and tags, but no users.
const AS = 'anna.lind'
const POST = '/api/v1/models/post'

const get = (app: TestApp, path: string, as = AS) => send(app, { request: `GET /api/v1/models/${path}`, as })

async function refused(app: TestApp, path: string, as = AS): Promise<void> {
  const { status, json } = await get(app, path, as)
  assert.deepEqual([status, json], [403, FORBIDDEN], path)
}

describe('a related record whose model the reader may not view', () => {
  appTest('is its id alone, in a record and in a list', async (app) => {
    const { json } = await get(app, 'post/1')
    assert.deepEqual(json.data.author, { id: 1 })
    assert.equal(json.data.author_id, 1)
    assert.equal(json.data.category.slug, 'harbour-life', 'of a model that may be viewed')
    for (const path of ['post', 'post?sort_by=title', 'post?fields=author', 'post?fields=title,author&filters=id=1']) {
      const list = (await get(app, path)).json.data as { author: object }[]
      for (const { author } of list) assert.deepEqual(Object.keys(author), ['id'], path)
    }
  })

  appTest('is its id alone behind a many-to-many, too', async (app) => {
    await permit(app, 3, 'view_post')
    const { json } = await get(app, 'post/1')
    assert.deepEqual(json.data.tags, [{ id: 12 }])
    assert.deepEqual((await get(app, 'post?fields=tags&page_size=1')).json.data, [{ id: 1, tags: [{ id: 12 }] }])
  })

  appTest('is null if there is none', async (app) => {
    await permit(app, 3, 'view_comment')
    const { json } = await get(app, 'comment?filters=author_id__isnull=true&page_size=1')
    assert.deepEqual([json.data[0].author_id, json.data[0].author], [null, null])
  })

  appTest('is its id only in responses to writes', async (app) => {
    await permit(app, 3, 'add_post', 'change_post', 'delete_post')
    const data = { title: 'Knots', slug: 'knots', body: 'Bowline.', author_id: 1, category_id: 1, tags: [1] }
    const hidden = (record: { author: object; category: object; tags: object[] }) =>
      assert.deepEqual([record.author, record.category, record.tags], [{ id: 1 }, { id: 1 }, [{ id: 1 }]])
    const write = (request: Scenario['request'], body: unknown, status: number) =>
      play(app, { request, as: AS, ...(body === undefined ? {} : { body }), status }).then(({ json }) => json.data)
    const created = await write(`POST ${POST}`, { data }, 201)
    hidden(created)
    const { id } = created
    hidden(await write(`PUT ${POST}/${id}`, { data: { title: 'Hitches' } }, 200))
    hidden((await write(`PUT ${POST}/bulk`, { updates: [{ id, data: { title: 'Bends' } }] }, 200))[0])
    hidden(await write(`DELETE ${POST}/${id}`, undefined, 200))
    const [made] = await write(`POST ${POST}/bulk`, { records: [data] }, 201)
    hidden(made)
    hidden((await write(`DELETE ${POST}/bulk`, { ids: [made.id] }, 200))[0])
  })

  appTest('is its id only in the response about the present user', async (app) => {
    const { json } = await send(app, { request: 'GET /api/v1/auth/me', as: AS })
    assert.deepEqual(json.data.groups, [{ id: 2 }])
    assert.ok(json.permissions.includes('view_post'), 'what they may do is told by name')
  })

  appTest('cannot be requested by name', async (app) => {
    for (const path of ['post', 'post/1', 'comment', 'comment/1']) {
      await refused(app, `${path}?include=author__username`)
      await refused(app, `${path}?include=author__id`)
      await refused(app, `${path}?fields=author&include=author__email`)
    }
    await refused(app, 'post?include=category__slug,author__email')
    assert.equal((await get(app, 'post?fields=category&include=category__slug')).status, 200)
  })

  appTest('cannot be filtered by, whether anything matches or not', async (app) => {
    for (const filter of [
      'username=admin',
      'username=x',
      'username__startswith=a',
      'is_superuser=true',
      'id=1',
      'email__isnull=true',
    ]) {
      await refused(app, `post?filters=author__${filter}`)
      await refused(app, `post?filters=status=draft&filters=author__${filter}`)
    }
    assert.equal((await get(app, 'post?filters=author_id=1')).status, 200, 'the id is the record’s own')
    assert.equal((await get(app, 'post?filters=category__slug=fishing')).status, 200)
    await permit(app, 3, 'view_post')
    await refused(app, 'post?filters=tags__slug=music')
    assert.equal((await get(app, 'post?filters=tags=1')).status, 200, 'the ids are the record’s own')
  })

  appTest('cannot be sorted by, by any user', async (app) => {
    for (const as of [AS, 'admin']) assert.equal((await get(app, 'post?sort_by=author__username', as)).status, 400)
  })

  appTest('is not revealed by an entity tag', async (app) => {
    const before = await get(app, 'post/1')
    await dataOf(app, 'PUT /api/v1/models/user/1', { body: { data: { first_name: 'Inga' } } })
    assert.equal((await get(app, 'post/1')).headers.etag, before.headers.etag)
  })

  appTest('is shown with the permission, and no longer without it', async (app) => {
    await permit(app, 3, 'view_post', 'view_user')
    assert.equal((await get(app, 'post/1')).json.data.author.username, 'admin')
    assert.equal((await get(app, 'post?filters=author__username=admin&page_size=1')).json.data[0].author.username, 'admin')
    await permit(app, 3, 'view_post')
    assert.deepEqual((await get(app, 'post/1')).json.data.author, { id: 1 })
    await refused(app, 'post?filters=author__username=admin&page_size=1')
  })

  appTest('is a bad request first, when it is one', async (app) => {
    for (const path of ['post?filters=author__nosuch=1', 'post?include=author__nosuch', 'post?include=author__password']) {
      assert.equal((await get(app, path)).status, 400, path)
    }
  })
})

describe('a response cached for a user who may see more', () => {
  const PATHS = ['post/1', 'post', 'post?page_size=3', 'post?fields=title,author', 'comment/2', 'comment?page_size=5']

  appTest('is not shown to other users, in any order of requests', async (app) => {
    const readers = ['admin', AS, 'admin', AS, 'pia.nakamura', 'admin', AS]
    for (const path of PATHS) {
      const texts = new Map<string, Set<string>>()
      for (const as of readers) {
        const { status, text } = await get(app, path, as)
        assert.equal(status, 200, text)
        const key = as === 'admin' ? 'all' : 'less'
        texts.set(key, (texts.get(key) ?? new Set()).add(text))
      }
      const [[all = ''], [less = '', ...others]] = [[...(texts.get('all') ?? [])], [...(texts.get('less') ?? [])]]
      assert.match(all, /"username"/, path)
      assert.doesNotMatch(less, /"username"|@example\.org/, path)
      assert.deepEqual(others, [], path)
    }
  })

  appTest('is not shown to other users in concurrent requests', async (app) => {
    for (const path of PATHS) {
      const readers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'admin' : AS))
      const replies = await Promise.all(readers.map((as) => get(app, path, as)))
      for (const [index, { text }] of replies.entries()) {
        assert.equal(/"username"/.test(text), index % 2 === 0, `${path} for ${readers[index]}`)
      }
    }
  })
})

describe('a superuser', () => {
  const FILES = {
    'models/team.yaml': 'name: Team\nfields:\n  - { name: title, type: string }\n',
    'models/user.yaml': `${USER_MODEL}  - { name: team_id, type: foreignkey, model: team, on_delete: cascade }
`,
    'seed/team.yaml': '- { title: Crew }\n- { title: Guests }\n',
    'seed/user.yaml': `- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true, team_id: 1 }
- { username: clerk, email: c@example.org, password: a-long-password }
- { username: guest, email: g@example.org, password: a-long-password, team_id: 2 }
`,
  }

  appTest(
    'is not deleted with a record that another user may delete',
    async (app) => {
      await permit(app, 2, 'delete_team')
      const remove = (request: Scenario['request'], status: number, body?: unknown) =>
        play(app, { request, as: 'clerk', ...(body === undefined ? {} : { body }), status })
      await remove('DELETE /api/v1/models/team/1', 403)
      await remove('DELETE /api/v1/models/team/bulk', 403, { ids: [2, 1] })
      await remove('DELETE /api/v1/models/team/2', 200)
      assert.equal((await dataOf(app, 'GET /api/v1/models/user')).length, 2)
      await play(app, { request: 'DELETE /api/v1/models/team/1', as: 'admin', status: 409 })
      await play(app, { request: 'PUT /api/v1/models/user/2', body: { data: { is_superuser: true } }, status: 200 })
      await play(app, { request: 'DELETE /api/v1/models/team/1', as: 'admin', status: 200 })
    },
    { files: FILES },
  )
})
