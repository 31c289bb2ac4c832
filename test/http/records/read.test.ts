import assert from 'node:assert/strict'
import { play, scenarios } from '../../helpers/api/scenario.ts'
import { modelNotFound, recordNotFound } from './expected.ts'

scenarios('read', [
  {
    name: 'returns a record with its foreign key and the related record, without its relations',
    request: 'GET /api/v1/models/category/3',
    status: 200,
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
  {
    name: 'returns every field of the model, timestamps in UTC, many-to-many as id and display field',
    request: 'GET /api/v1/models/post/4',
    status: 200,
    check: ({ json }) => {
      const { author, category, ...own } = json.data
      assert.deepEqual(own, {
        id: 4,
        title: 'Night ferry, empty deck',
        slug: 'night-ferry-empty-deck',
        summary: null,
        body: own.body,
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
  {
    name: 'shows the built-in user without its password and without the links of the nested',
    request: 'GET /api/v1/models/post/1',
    status: 200,
    check: ({ json, text }) => {
      const { author } = json.data
      for (const name of ['id', 'username', 'email', 'first_name', 'last_name', 'is_active', 'is_superuser', 'last_login']) {
        assert.ok(name in author, name)
      }
      assert.equal('password' in author, false)
      assert.equal('groups' in author, false)
      assert.equal(text.includes('$quick$'), false)
    },
  },
  {
    name: 'returns null for an empty foreign key',
    request: 'GET /api/v1/models/comment/1',
    status: 200,
    expectPart: { data: { author_id: null, author: null, guest_name: 'Kirsten Brekke' } },
  },
  {
    name: 'returns an empty list for a many-to-many without links',
    request: 'GET /api/v1/models/post/41',
    status: 200,
    expectPart: { data: { tags: [], category: null } },
  },
  {
    name: 'never shows a password',
    request: 'GET /api/v1/models/user/3',
    status: 200,
    expectPart: { data: { username: 'anna.lind', groups: [{ id: 2, name: 'Authors' }], permissions: [] } },
    check: ({ json, text }) => {
      assert.equal('password' in json.data, false)
      assert.equal(text.includes('$quick$'), false)
    },
  },
  {
    name: 'has no record that is not there',
    request: 'GET /api/v1/models/user/999',
    status: 404,
    expect: recordNotFound('User', 999),
  },
  {
    name: 'has no model that is not there',
    request: 'GET /api/v1/models/spaceship/1',
    status: 404,
    expect: modelNotFound('spaceship'),
  },
  {
    name: 'has no model for the sessions of users',
    given: async (app) => {
      const body = { username: 'anna.lind', password: 'lighthouse-keys-17' }
      await play(app, { request: 'POST /api/v1/auth/token', as: null, body, status: 200 })
    },
    request: 'GET /api/v1/models/authsession/1',
    status: 404,
    expect: modelNotFound('authsession'),
  },
  ...[
    ['one', "an integer, not 'one'"],
    ['1e3', "an integer, not '1e3'"],
    ['-1', "an integer from 0 to 9007199254740991, not '-1'"],
    ['9007199254740993', "an integer from 0 to 9007199254740991, not '9007199254740993'"],
  ].map(
    ([id, wanted]) =>
      ({
        name: `says what an id must be instead of ${id}`,
        request: `GET /api/v1/models/tag/${id}`,
        status: 400,
        expect: { error: 'Invalid request data', status_code: 400, details: { record_id: [`record_id must be ${wanted}`] } },
      }) as const,
  ),
  {
    name: 'rejects unknown query parameters',
    request: 'GET /api/v1/models/post/1?page=2',
    status: 400,
    expectPart: { error: 'Invalid request data', status_code: 400 },
    check: ({ json }) => assert.match(JSON.stringify(json.details), /'?page'?/),
  },
])

scenarios(
  'read built-in models',
  [
    {
      name: 'user has its ten fields, the password hidden, and timestamps',
      request: 'GET /api/v1/models/user/1',
      status: 200,
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
    },
    {
      name: 'group has name, description, permissions and timestamps',
      request: 'POST /api/v1/models/group',
      body: { data: { name: 'Crew', description: 'On board', permissions: [1] } },
      status: 201,
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
    },
    {
      name: 'permission has codename, name, description and timestamps',
      request: 'POST /api/v1/models/permission',
      body: { data: { codename: 'steer_ship', name: 'Steer', description: 'The wheel' } },
      status: 201,
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
    },
  ],
  {
    files: {
      'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
      'seed/user.yaml':
        '- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true, first_name: Ada }\n',
    },
  },
)

scenarios(
  'seed records out of order',
  [
    {
      name: 'are listed in the order of ids',
      request: 'GET /api/v1/models/note',
      status: 200,
      expectPart: {
        data: [
          { id: 3, title: 'Third', kind: 'a' },
          { id: 7, title: 'Seventh', kind: 'a' },
          { id: 9, title: 'Ninth', kind: 'a' },
        ],
      },
    },
    {
      name: 'are listed in the order of ids where a sort ties',
      request: 'GET /api/v1/models/note?sort_by=kind&sort_order=desc&fields=title',
      status: 200,
      expectPart: {
        data: [
          { id: 3, title: 'Third' },
          { id: 7, title: 'Seventh' },
          { id: 9, title: 'Ninth' },
        ],
      },
    },
  ],
  {
    files: {
      'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: kind, type: string }\n',
      'seed/note.yaml':
        '[{ id: 9, title: Ninth, kind: a }, { id: 3, title: Third, kind: a }, { id: 7, title: Seventh, kind: a }]\n',
      'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
    },
  },
)

scenarios(
  'seed records',
  [
    {
      name: 'get ids in file order, unless they carry one',
      request: 'GET /api/v1/models/note',
      status: 200,
      expectPart: {
        data: [
          { id: 1, title: 'First' },
          { id: 2, title: 'Second' },
          { id: 10, title: 'Tenth' },
        ],
      },
    },
    {
      name: 'alone may carry an id',
      request: 'POST /api/v1/models/note',
      body: { data: { id: 20, title: 'Twentieth' } },
      status: 400,
      check: ({ json }) => assert.deepEqual(Object.keys(json.detail.error), ['id']),
    },
  ],
  {
    files: {
      'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
      'seed/note.yaml': '[{ title: First }, { title: Second }, { id: 10, title: Tenth }]\n',
      'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
    },
  },
)
