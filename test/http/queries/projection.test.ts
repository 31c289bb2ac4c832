import assert from 'node:assert/strict'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { refusedQuery as refused } from './refused-query.ts'

/** The first record of a list that asks for this. */
const first = (name: string, path: string, expected: unknown): Scenario =>
  scenario(name, `GET /api/v1/models/${path}&page_size=1`, 200, { check: ({ json }) => assert.deepEqual(json.data[0], expected) })

scenarios('fields', [
  first('gives the named fields and the primary key', 'post?fields=title,status', {
    id: 1,
    title: 'Welcome to The Harbour Journal',
    status: 'published',
  }),
  first('gives the primary key once when it is named', 'tag?fields=id,name', { id: 1, name: 'Lighthouse' }),
  first('gives the primary key alone', 'tag?fields=id', { id: 1 }),
  first('gives a foreign key without the record behind it', 'post?fields=author_id', { id: 1, author_id: 1 }),
  first('gives the record behind a foreign key', 'category?fields=name,parent&filters=id=3', {
    id: 3,
    name: 'Fishing',
    parent: {
      id: 1,
      name: 'Harbour Life',
      slug: 'harbour-life',
      description: 'The quays, the people on them and what they are up to',
      parent_id: null,
      position: 0,
    },
  }),
  first('gives a many-to-many as id and display field', 'post?fields=tags', { id: 1, tags: [{ id: 12, name: 'Volunteers' }] }),
  scenario('leaves the rest of the list as it is', 'GET /api/v1/models/tag?fields=name&page_size=2&page=6', 200, {
    expect: {
      data: [
        { id: 11, name: 'Music' },
        { id: 12, name: 'Volunteers' },
      ],
      total: 12,
      page: 6,
      page_size: 2,
      total_pages: 6,
      has_next: false,
      has_prev: true,
    },
  }),
])

scenarios('include', [
  scenario(
    'narrows the record behind a foreign key',
    'GET /api/v1/models/post?fields=title,author&include=author__username&page_size=1',
    200,
    {
      check: ({ json }) => {
        const { author, ...rest } = json.data[0]
        assert.deepEqual(rest, { id: 1, title: 'Welcome to The Harbour Journal' })
        assert.equal(author.username, 'admin')
        assert.deepEqual(
          Object.keys(author).filter((name) => name !== 'id'),
          ['username'],
        )
      },
    },
  ),
  scenario(
    'accepts several fields of several relations',
    'GET /api/v1/models/post?fields=author,category&include=author__first_name,author__last_name,category__slug&page_size=1',
    200,
    {
      expectPart: {},
      check: ({ json }) => {
        const [{ author, category }] = json.data
        assert.equal(author.first_name, 'Ingrid')
        assert.equal(author.last_name, 'Solheim')
        assert.equal('email' in author, false)
        assert.equal(category.slug, 'harbour-life')
        assert.equal('name' in category, false)
      },
    },
  ),
  first('widens a many-to-many', 'post?fields=tags&include=tags__slug', {
    id: 1,
    tags: [{ id: 12, name: 'Volunteers', slug: 'volunteers' }],
  }),
])

scenarios('fields and include that cannot be', [
  refused('fields=usernme', 'fields', /'username'/),
  refused('fields=username,frist_name', 'fields', /'first_name'/),
  refused('fields=username,password', 'fields', /password/),
  refused('fields=', 'fields', /fields/),
  refused('fields=username&include=grups__name', 'include', /groups/),
  refused('fields=groups&include=groups__nmae', 'include', /'name'/),
  refused('fields=groups&include=groups', 'include', /groups/),
  scenario('refuses to include a password', 'GET /api/v1/models/post?fields=author&include=author__password', 400, {
    check: ({ json }) => assert.deepEqual(Object.keys(json.details), ['include']),
  }),
])
