import assert from 'node:assert/strict'
import type { TestApp } from '../../helpers/api/app.ts'
import { type Scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors } from '../records/expected.ts'

const POST = { title: 'A new post', slug: 'a-new-post', body: 'Text', author_id: 3 }

scenarios('storage', [
  {
    name: 'rejects a duplicate value of a unique field',
    request: 'POST /api/v1/models/tag',
    body: { data: { name: 'Ferries', slug: 'more-ferries' } },
    status: 400,
    expect: fieldErrors({ name: ['name must be unique'] }),
  },
  {
    name: 'names every unique field with a duplicate value',
    request: 'POST /api/v1/models/tag',
    body: { data: { name: 'Ferries', slug: 'lighthouse' } },
    status: 400,
    expect: fieldErrors({ name: ['name must be unique'], slug: ['slug must be unique'] }),
  },
  {
    name: 'rejects a duplicate value of a unique field on update',
    request: 'PUT /api/v1/models/tag/1',
    body: { data: { name: 'Ferries' } },
    status: 400,
    expect: fieldErrors({ name: ['name must be unique'] }),
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/tag/1')).name, 'Lighthouse'),
  },
  {
    name: 'wants the record that a foreign key names',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, author_id: 999 } },
    status: 400,
    expect: fieldErrors({ author_id: ['author_id references a non-existent record'] }),
  },
  {
    name: 'wants the record that a foreign key names, on update',
    request: 'PUT /api/v1/models/post/1',
    body: { data: { category_id: 999 } },
    status: 400,
    expect: fieldErrors({ category_id: ['category_id references a non-existent record'] }),
  },
  {
    name: 'wants every record that a many-to-many names',
    request: 'POST /api/v1/models/post',
    body: { data: { ...POST, tags: [1, 999] } },
    status: 400,
    expect: fieldErrors({ tags: ['tags references a non-existent record'] }),
  },
  {
    name: 'wants every record that a many-to-many names as an object',
    request: 'PUT /api/v1/models/post/1',
    body: { data: { tags: [{ id: 999 }] } },
    status: 400,
    expect: fieldErrors({ tags: ['tags references a non-existent record'] }),
    check: async (_, app) =>
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/post/1')).tags, [{ id: 12, name: 'Volunteers' }]),
  },
  {
    name: 'reports its own failures together with those of validation',
    request: 'POST /api/v1/models/post',
    body: { data: { title: 'ab', slug: 'winter-opening-hours', rating: 6, author_id: 999, category_id: 77, tags: [88] } },
    status: 400,
    expect: fieldErrors({
      title: ['title must be at least 3 characters long'],
      slug: ['slug must be unique'],
      body: ['body is mandatory'],
      rating: ['rating must be less than or equal to 5'],
      author_id: ['author_id references a non-existent record'],
      category_id: ['category_id references a non-existent record'],
      tags: ['tags references a non-existent record'],
    }),
  },
  {
    name: 'reports its own failures together with those of a form',
    request: 'POST /api/v1/models/tag',
    body: { data: { name: 'x', slug: 'ferries' }, form_id: 'TagForm' },
    status: 400,
    expect: fieldErrors({ name: ['name must be at least 2 characters long'], slug: ['slug must be unique'] }),
  },
  {
    name: 'frees the unique value of a deleted record',
    given: async (app) => void (await dataOf(app, 'DELETE /api/v1/models/tag/2')),
    request: 'POST /api/v1/models/tag',
    body: { data: { name: 'Ferries', slug: 'ferries' } },
    status: 201,
  },
])

scenarios(
  'storage of one-to-one and optional unique fields',
  [
    {
      name: 'allows one record to refer to another in a one-to-one relation',
      request: 'POST /api/v1/models/berth',
      body: { data: { boat_id: 1 } },
      status: 400,
      expect: fieldErrors({ boat_id: ['boat_id must be unique'] }),
    },
    {
      name: 'wants the record that a one-to-one names',
      request: 'POST /api/v1/models/berth',
      body: { data: { boat_id: 9 } },
      status: 400,
      expect: fieldErrors({ boat_id: ['boat_id references a non-existent record'] }),
    },
    {
      name: 'nests the record that a one-to-one names',
      request: 'POST /api/v1/models/berth',
      body: { data: { boat_id: 2 } },
      status: 201,
      expect: { data: { id: 2, boat_id: 2, boat: { id: 2, name: 'Holm', number: null } } },
    },
    {
      name: 'rejects a duplicate unique number',
      request: 'POST /api/v1/models/boat',
      body: { data: { name: 'Skerry', number: 7 } },
      status: 400,
      expect: fieldErrors({ number: ['number must be unique'] }),
    },
    {
      name: 'accepts any number of nulls in a unique field',
      request: 'POST /api/v1/models/boat',
      body: { data: { name: 'Skerry' } },
      status: 201,
      expect: { data: { id: 3, name: 'Skerry', number: null } },
    },
  ],
  {
    files: {
      'models/boat.yaml': `
- name: Boat
  fields:
    - { name: name, type: string }
    - { name: number, type: integer, unique: true }
- name: Berth
  fields:
    - { name: boat_id, type: one_to_one, model: boat }
`,
      'seed/user.yaml': '- { username: admin, email: a@example.org, password: a-long-password, is_superuser: true }\n',
      'seed/boat.yaml': '[{ name: Ylva, number: 7 }, { name: Holm }]',
      'seed/berth.yaml': '[{ boat_id: 1 }]',
    },
  },
)

/** Validation leaves a store nothing to refuse but what changes in between; so here the store refuses by itself. */
const refusing =
  (...violations: { kind: 'not_null' | 'unique' | 'foreign_key' | 'check'; index: number; field: string }[]) =>
  async (app: TestApp) => {
    Object.assign(app.app.store, { transact: async () => ({ ok: false, violations }) })
  }

const TAG = { name: 'Knots', slug: 'knots', color: '#112233' }

const told = (kind: 'not_null' | 'unique' | 'foreign_key' | 'check', message: string): Scenario => ({
  name: `says of ${kind}: ${message}`,
  given: refusing({ kind, index: 0, field: 'color' }),
  request: 'POST /api/v1/models/tag',
  body: { data: TAG },
  status: 400,
  expect: fieldErrors({ color: [message] }),
})

scenarios('storage that refuses', [
  told('not_null', 'color is mandatory'),
  told('unique', 'color must be unique'),
  told('foreign_key', 'color references a non-existent record'),
  told('check', 'color value violates constraint'),
  {
    name: 'is reported on update',
    given: refusing({ kind: 'check', index: 0, field: 'color' }, { kind: 'unique', index: 0, field: 'slug' }),
    request: 'PUT /api/v1/models/tag/1',
    body: { data: { color: '#112233' } },
    status: 400,
    expect: fieldErrors({ color: ['color value violates constraint'], slug: ['slug must be unique'] }),
  },
  {
    name: 'is reported for each record of a bulk operation',
    given: refusing({ kind: 'check', index: 1, field: 'color' }),
    request: 'POST /api/v1/models/tag/bulk',
    body: { records: [TAG, { ...TAG, name: 'Bends', slug: 'bends' }] },
    status: 400,
    expect: fieldErrors({ '1.color': ['color value violates constraint'] }),
  },
])
