import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { SHELL } from '../../src/auth/permissions.ts'
import { Records } from '../../src/records/records.ts'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { play } from '../helpers/api/scenario.ts'
import { lintFiles } from '../lint/projects.ts'

const MODELS = `- name: Shelf
  fields:
    - { name: code, type: slug, unique: true, required: true }
    - { name: parent_id, type: foreignkey, model: shelf }
- name: Book
  fields:
    - { name: title, type: string, required: true }
    - { name: shelf_id, type: foreignkey, model: shelf, required: true }
    - { name: owner_id, type: foreignkey, model: user }
    - { name: others, type: many_to_many, model: shelf }
`
const USERS = `- { username: admin, email: admin@example.com, password: long-enough, is_superuser: true }
- { username: ann, email: ann@example.com, password: long-enough, permissions: [] }
`
const SEEDS = {
  'models/all.yaml': MODELS,
  'seed/user.yaml': USERS,
  'seed/shelf.yaml': '- { code: a, id: 7 }\n- { code: b, parent_id: { code: a } }\n',
  'seed/book.yaml':
    '- { title: One, shelf_id: { code: b }, owner_id: { email: ann@example.com }, others: [{ code: a }, 8] }\n- { title: Two, shelf_id: 7 }\n',
}

async function stored(app: TestApp, table: string): Promise<readonly object[]> {
  return (await app.app.store.find(table, { filters: [], sort: [], offset: 0, limit: 100 })).records
}

describe('references by a unique field', () => {
  test('in seeds, to records of other files, of the same file, and by several fields', async () => {
    await using app = await openTestApp({ files: SEEDS })
    assert.deepEqual(await stored(app, 'shelf'), [
      { id: 7, code: 'a', parent_id: null },
      { id: 8, code: 'b', parent_id: 7 },
    ])
    assert.deepEqual(await stored(app, 'book'), [
      { id: 1, title: 'One', shelf_id: 8, owner_id: 2, others: [7, 8] },
      { id: 2, title: 'Two', shelf_id: 7, owner_id: null, others: [] },
    ])
  })

  test('in seeds look up a stored record once, however many refer to it', async () => {
    const user = (index: number) =>
      `- { username: user${index}, email: user${index}@example.com, password: long-enough, permissions: [{ codename: view_book }] }\n`
    const users = Array.from({ length: 20 }, (_, index) => user(index)).join('')
    const roles = 'name: Readers\npermissions: [view_book]\n'
    const lookUps = mock.method(Records.prototype, 'idsBy')
    try {
      const app = await openTestApp({ files: { ...SEEDS, 'roles/readers.yaml': roles, 'seed/user.yaml': USERS + users } })
      await app.close()
      assert.equal(lookUps.mock.callCount(), 1)
    } finally {
      lookUps.mock.restore()
    }
  })

  test('in seeds that refer to nothing are reported by record and field', async () => {
    const book = `- { title: One, shelf_id: { code: z } }
- { title: Two, shelf_id: { cod: a } }
- { title: Three, shelf_id: { code: a, id2: 1 } }
- { title: Four, shelf_id: { code: "no slug" } }
`
    const { findings } = await lintFiles({ ...SEEDS, 'seed/book.yaml': book })
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'error').map(({ line, column, message }) => `${line}:${column} ${message}`),
      [
        '1:27 shelf_id refers to no shelf: none has the code "z"',
        "2:27 shelf_id cannot refer to a shelf by 'cod', which is no unique field; did you mean 'code'?",
        '3:29 shelf_id must refer to one shelf by its id or by a unique field',
        '4:28 shelf_id refers to a shelf whose code format is invalid',
      ],
    )
  })

  test('in imports, also of rows that are updated', async () => {
    await using app = await openTestApp({
      files: {
        ...SEEDS,
        'models/unique.yaml':
          'name: Tag\nfields:\n  - { name: name, type: string, unique: true }\n  - { name: shelf_id, type: foreignkey, model: shelf }\n',
      },
    })
    const rows = ['{"name":"x","shelf_id":{"code":"a"}}', '{"name":"y","shelf_id":{"code":"b"}}'].join('\n')
    const run = (content: string) =>
      app.app.imports.run(SHELL, 'tag', { format: 'ndjson', open: () => [content] }, { upsertBy: 'name' })
    await run(rows)
    await run('{"name":"y","shelf_id":{"code":"a"}}')
    assert.deepEqual(await stored(app, 'tag'), [
      { id: 1, name: 'x', shelf_id: 7 },
      { id: 2, name: 'y', shelf_id: 7 },
    ])
    await assert.rejects(run('{"name":"z","shelf_id":{"code":"nope"}}'), {
      details: { '1.shelf_id': ['shelf_id refers to no shelf: none has the code "nope"'] },
    })
  })

  test('in an import find nothing that the user may not view', async () => {
    await using app = await openTestApp({ files: SEEDS })
    const { records } = await app.app.store.find('permission', {
      filters: [{ field: 'codename', operator: 'eq', value: 'add_book' }],
      sort: [],
      offset: 0,
      limit: 1,
    })
    await play(app, { request: 'PUT /api/v1/models/user/2', body: { data: { permissions: [records[0]?.id] } }, status: 200 })
    const { json } = await play(app, {
      request: 'POST /api/v1/models/book/import',
      as: 'ann',
      headers: { 'content-type': 'application/json' },
      rawBody: '[{"title":"One","shelf_id":{"code":"a"}}]',
      status: 400,
    })
    assert.deepEqual(json.detail.error, { '1.shelf_id': ['shelf_id refers to no shelf: none has the code "a"'] })
  })
})
