import assert from 'node:assert/strict'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { modelNotFound, recordNotFound } from './expected.ts'

scenarios('read', [
  scenario(
    'returns a record with its foreign key and the related record, without its relations',
    'GET /api/v1/models/category/3',
    200,
    {
      expect: {
        data: {
          id: 3,
          name: 'Fishing',
          slug: 'fishing',
          description: "From the trawler fleet to the children's jetty",
          parent_id: 1,
          parent: {
            id: 1,
            name: 'Harbour Life',
            slug: 'harbour-life',
            description: 'The quays, the people on them and what they are up to',
            parent_id: null,
            position: 0,
          },
          position: 2,
        },
      },
    },
  ),
  scenario(
    'returns every field of the model, timestamps in UTC, many-to-many as id and display field',
    'GET /api/v1/models/post/4',
    200,
    {
      check: ({ json }) => {
        const { author, category, ...own } = json.data
        assert.deepEqual(own, {
          id: 4,
          title: 'Night ferry, empty deck',
          slug: 'night-ferry-empty-deck',
          summary: null,
          body: own.body,
          cover: null,
          status: 'published',
          rating: 4.1,
          views_count: 987,
          is_featured: false,
          published_at: own.published_at,
          event_date: null,
          publish_time: null,
          languages: ['en'],
          metadata: own.metadata,
          author_id: 5,
          category_id: 2,
          tags: [
            { id: 2, name: 'Ferries' },
            { id: 9, name: 'Photography' },
          ],
          created_at: '2026-01-15T12:00:00.000Z',
          updated_at: '2026-01-15T12:00:00.000Z',
        })
        assert.match(own.body, /^The 23:40 to Holm carries eleven passengers/)
        assert.match(own.published_at, /^2023-02-16T20:15:00(\.000)?Z$/)
        assert.deepEqual(own.metadata.gallery.slice(0, 2), ['wake-1.jpg', 'wake-2.jpg'])
        assert.equal(author.username, 'siobhan_r')
        assert.equal(category.name, 'Boats & Shipping')
      },
    },
  ),
  scenario('shows the built-in user without its password and without the links of the nested', 'GET /api/v1/models/post/1', 200, {
    check: ({ json, text }) => {
      const { author } = json.data
      for (const name of ['id', 'username', 'email', 'first_name', 'last_name', 'is_active', 'is_superuser', 'last_login']) {
        assert.ok(name in author, name)
      }
      assert.equal('password' in author, false)
      assert.equal('groups' in author, false)
      assert.equal(text.includes('$quick$'), false)
    },
  }),
  scenario('returns null for an empty foreign key', 'GET /api/v1/models/comment/1', 200, {
    expectPart: { data: { author_id: null, author: null, guest_name: 'Kirsten Brekke' } },
  }),
  scenario('returns an empty list for a many-to-many without links', 'GET /api/v1/models/post/41', 200, {
    expectPart: { data: { tags: [], category: null } },
  }),
  scenario('never shows a password', 'GET /api/v1/models/user/3', 200, {
    expectPart: { data: { username: 'anna.lind', groups: [{ id: 2, name: 'Authors' }], permissions: [] } },
    check: ({ json, text }) => {
      assert.equal('password' in json.data, false)
      assert.equal(text.includes('$quick$'), false)
    },
  }),
  scenario('has no record that is not there', 'GET /api/v1/models/user/999', 404, { expect: recordNotFound('User', 999) }),
  scenario('has no model that is not there', 'GET /api/v1/models/spaceship/1', 404, { expect: modelNotFound('spaceship') }),
  scenario('has no model for the sessions of users', 'GET /api/v1/models/authsession/1', 404, {
    given: async (app) => {
      const body = { username: 'anna.lind', password: 'lighthouse-keys-17' }
      await play(app, { request: 'POST /api/v1/auth/token', as: null, body, status: 200 })
    },
    expect: modelNotFound('authsession'),
  }),
  ...[
    ['one', "an integer, not 'one'"],
    ['1e3', "an integer, not '1e3'"],
    ['-1', "an integer from 0 to 9007199254740991, not '-1'"],
    ['9007199254740993', "an integer from 0 to 9007199254740991, not '9007199254740993'"],
  ].map(([id, wanted]) =>
    scenario(`says what an id must be instead of ${id}`, `GET /api/v1/models/tag/${id}`, 400, {
      expect: { error: 'Invalid request data', status_code: 400, details: { record_id: [`record_id must be ${wanted}`] } },
    }),
  ),
  scenario('rejects unknown query parameters', 'GET /api/v1/models/post/1?page=2', 400, {
    expectPart: { error: 'Invalid request data', status_code: 400 },
    check: ({ json }) => assert.match(JSON.stringify(json.details), /'?page'?/),
  }),
])

const BUILT_IN = {
  files: {
    'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
    'seed/user.yaml':
      '- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true, first_name: Ada }\n',
  },
}

scenarios('read built-in models', BUILT_IN, [
  scenario('user has its ten fields, the password hidden, and timestamps', 'GET /api/v1/models/user/1', 200, {
    check: ({ json }) =>
      assert.deepEqual(
        Object.keys(json.data).sort(),
        [
          'id',
          'username',
          'email',
          'first_name',
          'last_name',
          'is_active',
          'is_superuser',
          'last_login',
          'groups',
          'permissions',
          'created_at',
          'updated_at',
        ].sort(),
      ),
  }),
  scenario('group has name, description, permissions and timestamps', 'POST /api/v1/models/group', 201, {
    body: { data: { name: 'Crew', description: 'On board', permissions: [1] } },
    expect: {
      data: {
        id: 1,
        name: 'Crew',
        description: 'On board',
        permissions: [{ id: 1, codename: 'view_user' }],
        created_at: '2026-01-15T12:00:00.000Z',
        updated_at: '2026-01-15T12:00:00.000Z',
      },
    },
  }),
  scenario('permission has codename, name, description and timestamps', 'POST /api/v1/models/permission', 201, {
    body: { data: { codename: 'steer_ship', name: 'Steer', description: 'The wheel' } },
    check: ({ json }) => {
      const { id, ...rest } = json.data
      assert.equal(typeof id, 'number')
      assert.deepEqual(rest, {
        codename: 'steer_ship',
        name: 'Steer',
        description: 'The wheel',
        created_at: '2026-01-15T12:00:00.000Z',
        updated_at: '2026-01-15T12:00:00.000Z',
      })
    },
  }),
])

const OUT_OF_ORDER = {
  files: {
    'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: kind, type: string }\n',
    'seed/note.yaml':
      '[{ id: 9, title: Ninth, kind: a }, { id: 3, title: Third, kind: a }, { id: 7, title: Seventh, kind: a }]\n',
    'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
  },
}

scenarios('seed records out of order', OUT_OF_ORDER, [
  scenario('are listed in the order of ids', 'GET /api/v1/models/note', 200, {
    expectPart: {
      data: [
        { id: 3, title: 'Third', kind: 'a' },
        { id: 7, title: 'Seventh', kind: 'a' },
        { id: 9, title: 'Ninth', kind: 'a' },
      ],
    },
  }),
  scenario(
    'are listed in the order of ids where a sort ties',
    'GET /api/v1/models/note?sort_by=kind&sort_order=desc&fields=title',
    200,
    {
      expectPart: {
        data: [
          { id: 3, title: 'Third' },
          { id: 7, title: 'Seventh' },
          { id: 9, title: 'Ninth' },
        ],
      },
    },
  ),
])

const SEEDED = {
  files: {
    'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
    'seed/note.yaml': '[{ title: First }, { title: Second }, { id: 10, title: Tenth }]\n',
    'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
  },
}

scenarios('seed records', SEEDED, [
  scenario('get ids in file order, unless they carry one', 'GET /api/v1/models/note', 200, {
    expectPart: {
      data: [
        { id: 1, title: 'First' },
        { id: 2, title: 'Second' },
        { id: 10, title: 'Tenth' },
      ],
    },
  }),
  scenario('alone may carry an id', 'POST /api/v1/models/note', 400, {
    body: { data: { id: 20, title: 'Twentieth' } },
    check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error), ['id']),
  }),
])
