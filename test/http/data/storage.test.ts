import assert from 'node:assert/strict'
import type { TestApp } from '../../helpers/api/app.ts'
import { ADMIN_SEED } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors } from '../records/expected.ts'

const POST = { title: 'A new post', slug: 'a-new-post', body: 'Text', author_id: 3 }

scenarios('storage', [
  scenario('rejects a duplicate value of a unique field', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Ferries', slug: 'more-ferries' } },
    expect: fieldErrors({ name: ['name must be unique'] }),
  }),
  scenario('names every unique field with a duplicate value', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Ferries', slug: 'lighthouse' } },
    expect: fieldErrors({ name: ['name must be unique'], slug: ['slug must be unique'] }),
  }),
  scenario('rejects a duplicate value of a unique field on update', 'PUT /api/v1/models/tag/1', 400, {
    body: { data: { name: 'Ferries' } },
    expect: fieldErrors({ name: ['name must be unique'] }),
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/tag/1')).name, 'Lighthouse'),
  }),
  scenario('wants the record that a foreign key names', 'POST /api/v1/models/post', 400, {
    body: { data: { ...POST, author_id: 999 } },
    expect: fieldErrors({ author_id: ['author_id references a non-existent record'] }),
  }),
  scenario('wants the record that a foreign key names, on update', 'PUT /api/v1/models/post/1', 400, {
    body: { data: { category_id: 999 } },
    expect: fieldErrors({ category_id: ['category_id references a non-existent record'] }),
  }),
  scenario('wants every record that a many-to-many names', 'POST /api/v1/models/post', 400, {
    body: { data: { ...POST, tags: [1, 999] } },
    expect: fieldErrors({ tags: ['tags references a non-existent record'] }),
  }),
  scenario('wants every record that a many-to-many names as an object', 'PUT /api/v1/models/post/1', 400, {
    body: { data: { tags: [{ id: 999 }] } },
    expect: fieldErrors({ tags: ['tags references a non-existent record'] }),
    check: async (_, app) =>
      assert.deepEqual((await dataOf(app, 'GET /api/v1/models/post/1')).tags, [{ id: 12, name: 'Volunteers' }]),
  }),
  scenario('reports its own failures together with those of validation', 'POST /api/v1/models/post', 400, {
    body: { data: { title: 'ab', slug: 'winter-opening-hours', rating: 6, author_id: 999, category_id: 77, tags: [88] } },
    expect: fieldErrors({
      title: ['title must be at least 3 characters long'],
      slug: ['slug must be unique'],
      body: ['body is mandatory'],
      rating: ['rating must be less than or equal to 5'],
      author_id: ['author_id references a non-existent record'],
      category_id: ['category_id references a non-existent record'],
      tags: ['tags references a non-existent record'],
    }),
  }),
  scenario('reports its own failures together with those of a form', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'x', slug: 'ferries' }, form_id: 'TagForm' },
    expect: fieldErrors({ name: ['name must be at least 2 characters long'], slug: ['slug must be unique'] }),
  }),
  scenario('frees the unique value of a deleted record', 'POST /api/v1/models/tag', 201, {
    given: async (app) => void (await dataOf(app, 'DELETE /api/v1/models/tag/2')),
    body: { data: { name: 'Ferries', slug: 'ferries' } },
  }),
])

const BERTHS = {
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
    ...ADMIN_SEED,
    'seed/boat.yaml': '[{ name: Ylva, number: 7 }, { name: Holm }]',
    'seed/berth.yaml': '[{ boat_id: 1 }]',
  },
}

scenarios('storage of one-to-one and optional unique fields', BERTHS, [
  scenario('allows one record to refer to another in a one-to-one relation', 'POST /api/v1/models/berth', 400, {
    body: { data: { boat_id: 1 } },
    expect: fieldErrors({ boat_id: ['boat_id must be unique'] }),
  }),
  scenario('wants the record that a one-to-one names', 'POST /api/v1/models/berth', 400, {
    body: { data: { boat_id: 9 } },
    expect: fieldErrors({ boat_id: ['boat_id references a non-existent record'] }),
  }),
  scenario('nests the record that a one-to-one names', 'POST /api/v1/models/berth', 201, {
    body: { data: { boat_id: 2 } },
    expect: { data: { id: 2, boat_id: 2, boat: { id: 2, name: 'Holm', number: null } } },
  }),
  scenario('rejects a duplicate unique number', 'POST /api/v1/models/boat', 400, {
    body: { data: { name: 'Skerry', number: 7 } },
    expect: fieldErrors({ number: ['number must be unique'] }),
  }),
  scenario('accepts any number of nulls in a unique field', 'POST /api/v1/models/boat', 201, {
    body: { data: { name: 'Skerry' } },
    expect: { data: { id: 3, name: 'Skerry', number: null } },
  }),
])

/** Validation leaves a store nothing to refuse but what changes in between; so here the store refuses by itself. */
const refusing =
  (...violations: { kind: 'not_null' | 'unique' | 'foreign_key' | 'check'; index: number; field: string }[]) =>
  async (app: TestApp) => {
    Object.assign(app.app.store, { transact: async () => ({ ok: false, violations }) })
  }

const TAG = { name: 'Knots', slug: 'knots', color: '#112233' }

const told = (kind: 'not_null' | 'unique' | 'foreign_key' | 'check', message: string): Scenario =>
  scenario(`says of ${kind}: ${message}`, 'POST /api/v1/models/tag', 400, {
    given: refusing({ kind, index: 0, field: 'color' }),
    body: { data: TAG },
    expect: fieldErrors({ color: [message] }),
  })

scenarios('storage that refuses', [
  told('not_null', 'color is mandatory'),
  told('unique', 'color must be unique'),
  told('foreign_key', 'color references a non-existent record'),
  told('check', 'color value violates constraint'),
  scenario('is reported on update', 'PUT /api/v1/models/tag/1', 400, {
    given: refusing({ kind: 'check', index: 0, field: 'color' }, { kind: 'unique', index: 0, field: 'slug' }),
    body: { data: { color: '#112233' } },
    expect: fieldErrors({ color: ['color value violates constraint'], slug: ['slug must be unique'] }),
  }),
  scenario('is reported for each record of a bulk operation', 'POST /api/v1/models/tag/bulk', 400, {
    given: refusing({ kind: 'check', index: 1, field: 'color' }),
    body: { records: [TAG, { ...TAG, name: 'Bends', slug: 'bends' }] },
    expect: fieldErrors({ '1.color': ['color value violates constraint'] }),
  }),
])
