import assert from 'node:assert/strict'
import type { FieldFilter, Filter, SortKey } from '../../../src/query/plan.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { assertFields, insert, type Library } from './library.ts'

/** Five books; the last one has only what it must have. */
export async function shelve(library: Library): Promise<void> {
  await library.accept([
    insert('author', { name: 'Ann', email: 'ann@example.org', rank: 3, active: true }),
    insert('author', { name: 'Bob', rank: 7, active: false }),
    insert('author', { name: 'Cid' }),
    insert('genre', { name: 'crime' }),
    insert('genre', { name: 'poetry' }),
    insert('genre', { name: 'travel' }),
    insert('book', {
      title: 'Élan Vital',
      isbn: '1',
      status: 'draft',
      pages: 100,
      price: 9.5,
      published: '2020-05-01',
      labels: ['new', 'rare'],
      author_id: 1,
      editor_id: 2,
      genres: [1, 2],
    }),
    insert('book', {
      title: '100% pure_gold',
      isbn: '2',
      status: 'published',
      pages: 200,
      price: 20,
      published: '2021-05-01',
      labels: ['rare'],
      author_id: 1,
      editor_id: 1,
      genres: [2],
    }),
    insert('book', {
      title: 'pure gold',
      isbn: '3',
      status: 'published',
      pages: 200,
      price: 9.5,
      published: '2019-12-31',
      labels: [],
      author_id: 2,
      genres: [],
    }),
    insert('book', { title: 'Zebra', isbn: '4', status: 'draft', pages: 50, author_id: 2, editor_id: 3, genres: [3, 1] }),
    insert('book', { title: 'Blank', isbn: '5', author_id: 3 }),
  ])
}

/** What each operator finds among the books of `shelve`. */
export const FIELD_CASES: readonly (readonly [filter: FieldFilter, ids: readonly number[]])[] = [
  [{ field: 'status', operator: 'eq', value: 'draft' }, [1, 4]],
  [{ field: 'pages', operator: 'eq', value: 200 }, [2, 3]],
  [{ field: 'id', operator: 'eq', value: 4 }, [4]],
  [{ field: 'pages', operator: 'eq', value: '200' }, []],
  [{ field: 'title', operator: 'eq', value: 'zebra' }, []],
  [{ field: 'labels', operator: 'eq', value: 'rare' }, [1, 2]],
  [{ field: 'genres', operator: 'eq', value: 1 }, [1, 4]],
  [{ field: 'author_id', operator: 'eq', value: 2 }, [3, 4]],
  [{ field: 'status', operator: 'ne', value: 'draft' }, [2, 3, 5]],
  [{ field: 'labels', operator: 'ne', value: 'rare' }, [3, 4, 5]],
  [{ field: 'genres', operator: 'ne', value: 2 }, [3, 4, 5]],
  [{ field: 'status', operator: 'in', values: ['draft'] }, [1, 4]],
  [{ field: 'pages', operator: 'in', values: [50, 100, 7] }, [1, 4]],
  [{ field: 'id', operator: 'in', values: [5, 1, 77] }, [1, 5]],
  [{ field: 'genres', operator: 'in', values: [2, 3] }, [1, 2, 4]],
  [{ field: 'labels', operator: 'in', values: ['new', 'signed'] }, [1]],
  [{ field: 'status', operator: 'in', values: [] }, []],
  [{ field: 'editor_id', operator: 'isnull', value: true }, [3, 5]],
  [{ field: 'editor_id', operator: 'isnull', value: false }, [1, 2, 4]],
  [{ field: 'genres', operator: 'isnull', value: true }, [3, 5]],
  [{ field: 'labels', operator: 'isnull', value: false }, [1, 2]],
  [{ field: 'pages', operator: 'gt', value: 100 }, [2, 3]],
  [{ field: 'pages', operator: 'gte', value: 100 }, [1, 2, 3]],
  [{ field: 'pages', operator: 'lt', value: 100 }, [4]],
  [{ field: 'pages', operator: 'lte', value: 100 }, [1, 4]],
  [{ field: 'price', operator: 'gt', value: 9.4 }, [1, 2, 3]],
  [{ field: 'price', operator: 'lt', value: 9.51 }, [1, 3]],
  [{ field: 'published', operator: 'gte', value: '2020-05-01' }, [1, 2]],
  [{ field: 'published', operator: 'lt', value: '2020-05-01' }, [3]],
  [{ field: 'title', operator: 'gt', value: 'Zebra' }, [1, 3]],
  [{ field: 'title', operator: 'icontains', value: 'PURE' }, [2, 3]],
  [{ field: 'title', operator: 'icontains', value: 'élan' }, [1]],
  [{ field: 'title', operator: 'icontains', value: '%' }, [2]],
  [{ field: 'title', operator: 'icontains', value: 'pure_' }, [2]],
  [{ field: 'title', operator: 'icontains', value: '.' }, []],
  [{ field: 'title', operator: 'startswith', value: 'pure' }, [3]],
  [{ field: 'title', operator: 'startswith', value: 'Pure' }, []],
  [{ field: 'title', operator: 'startswith', value: '100%' }, [2]],
  [{ field: 'title', operator: 'startswith', value: '' }, [1, 2, 3, 4, 5]],
  [{ field: 'title', operator: 'endswith', value: 'gold' }, [2, 3]],
  [{ field: 'title', operator: 'endswith', value: 'GOLD' }, []],
  [{ field: 'title', operator: 'endswith', value: '_gold' }, [2]],
  [{ field: 'code', operator: 'startswith', value: '' }, []],
]

const through = (field: string, target: string, filter: FieldFilter): Filter => ({ field, target, filter })

/** The same, through relations. */
export const RELATION_CASES: readonly (readonly [filter: Filter, ids: readonly number[]])[] = [
  [through('author_id', 'author', { field: 'name', operator: 'eq', value: 'Ann' }), [1, 2]],
  [through('author_id', 'author', { field: 'name', operator: 'icontains', value: 'B' }), [3, 4]],
  [through('author_id', 'author', { field: 'rank', operator: 'gte', value: 3 }), [1, 2, 3, 4]],
  [through('author_id', 'author', { field: 'rank', operator: 'isnull', value: true }), [5]],
  [through('author_id', 'author', { field: 'active', operator: 'eq', value: true }), [1, 2]],
  // A book without an editor has no editor of whom anything could be said.
  [through('editor_id', 'author', { field: 'name', operator: 'ne', value: 'Bob' }), [2, 4]],
  [through('editor_id', 'author', { field: 'email', operator: 'isnull', value: true }), [1, 4]],
  // Any of the genres will do.
  [through('genres', 'genre', { field: 'name', operator: 'startswith', value: 'p' }), [1, 2]],
  [through('genres', 'genre', { field: 'name', operator: 'ne', value: 'poetry' }), [1, 4]],
  [through('genres', 'genre', { field: 'name', operator: 'in', values: ['travel', 'none'] }), [4]],
  [through('genres', 'genre', { field: 'name', operator: 'eq', value: 'none' }), []],
]

const SORT_CASES: readonly (readonly [sort: readonly SortKey[], ids: readonly number[]])[] = [
  [[], [1, 2, 3, 4, 5]],
  [[{ field: 'id', order: 'desc' }], [5, 4, 3, 2, 1]],
  [[{ field: 'pages', order: 'asc' }], [4, 1, 2, 3, 5]],
  [[{ field: 'pages', order: 'desc' }], [5, 2, 3, 1, 4]],
  [[{ field: 'title', order: 'asc' }], [2, 5, 4, 3, 1]],
  [[{ field: 'title', order: 'desc' }], [1, 3, 4, 5, 2]],
  [[{ field: 'published', order: 'asc' }], [3, 1, 2, 4, 5]],
  [[{ field: 'price', order: 'desc' }], [4, 5, 2, 1, 3]],
  [[{ field: 'editor_id', order: 'asc' }], [2, 1, 4, 3, 5]],
  [
    [
      { field: 'status', order: 'asc' },
      { field: 'pages', order: 'desc' },
      { field: 'title', order: 'desc' },
    ],
    [1, 4, 3, 2, 5],
  ],
  [
    [
      { field: 'status', order: 'desc' },
      { field: 'pages', order: 'asc' },
      { field: 'id', order: 'desc' },
    ],
    [5, 3, 2, 4, 1],
  ],
]

export function checkFind(check: Check): void {
  check('finds nothing in an empty table', async (library) => {
    assert.deepEqual(await library.find('book'), [[], 0])
  })

  check('returns the stored records, frozen', async (library) => {
    await shelve(library)
    const [records, total] = await library.find('book', [{ field: 'isbn', operator: 'eq', value: '4' }])
    assert.equal(total, 1)
    assertFields(records[0], { id: 4, title: 'Zebra', genres: [3, 1], price: null })
    assert.equal(Object.isFrozen(records[0]), true)
    assert.deepEqual(records, [await library.expect('book', 4)])
  })

  check('supports every operator', async (library) => {
    await shelve(library)
    for (const [filter, ids] of FIELD_CASES) assert.deepEqual(await library.ids('book', [filter]), ids, JSON.stringify(filter))
  })

  check('distinguishes true, false and null', async (library) => {
    await shelve(library)
    const active = (operator: 'eq' | 'ne', value: boolean) => library.ids('author', [{ field: 'active', operator, value }])
    assert.deepEqual(await active('eq', true), [1])
    assert.deepEqual(await active('eq', false), [2])
    assert.deepEqual(await active('ne', true), [2, 3])
  })

  check('filters through relations', async (library) => {
    await shelve(library)
    for (const [filter, ids] of RELATION_CASES) assert.deepEqual(await library.ids('book', [filter]), ids, JSON.stringify(filter))
  })

  check('a record must match all filters', async (library) => {
    await shelve(library)
    const filters: Filter[] = [
      { field: 'pages', operator: 'gte', value: 50 },
      { field: 'status', operator: 'eq', value: 'draft' },
      { field: 'genres', operator: 'eq', value: 1 },
      through('author_id', 'author', { field: 'name', operator: 'eq', value: 'Bob' }),
    ]
    assert.deepEqual(await library.ids('book', filters), [4])
    const between: Filter[] = [
      { field: 'pages', operator: 'gt', value: 50 },
      { field: 'pages', operator: 'lt', value: 200 },
    ]
    assert.deepEqual(await library.ids('book', between), [1])
  })

  check('sorts by several keys, nulls last ascending and first descending, ties by id', async (library) => {
    await shelve(library)
    for (const [sort, ids] of SORT_CASES) assert.deepEqual(await library.ids('book', [], sort), ids, JSON.stringify(sort))
  })

  check('sorts false before true', async (library) => {
    await shelve(library)
    assert.deepEqual(await library.ids('author', [], [{ field: 'active', order: 'asc' }]), [2, 1, 3])
    assert.deepEqual(await library.ids('author', [], [{ field: 'active', order: 'desc' }]), [3, 1, 2])
  })

  check('sorts and compares text by code points', async (library) => {
    const names = ['～', '😀', 'é', 'a', 'Z', '10', '9', 'ab']
    await library.accept(names.map((name) => insert('genre', { name })))
    const [records] = await library.find('genre', [], [{ field: 'name', order: 'asc' }])
    assert.deepEqual(valuesOf(records, 'name'), ['10', '9', 'Z', 'a', 'ab', 'é', '～', '😀'])
    assert.deepEqual(await library.ids('genre', [{ field: 'name', operator: 'gt', value: '～' }]), [2])
    assert.deepEqual(await library.ids('genre', [{ field: 'name', operator: 'startswith', value: '😀' }]), [2])
    assert.deepEqual(await library.ids('genre', [{ field: 'name', operator: 'startswith', value: '～' }]), [1])
  })

  check('returns a page and the total of all matches', async (library) => {
    await shelve(library)
    const sort: SortKey[] = [{ field: 'pages', order: 'desc' }]
    const filters: Filter[] = [{ field: 'pages', operator: 'gte', value: 50 }]
    const slice = async (offset: number, limit: number) => {
      const [records, total] = await library.find('book', filters, sort, { offset, limit })
      return [records.map(({ id }) => id), total]
    }
    assert.deepEqual(await slice(0, 2), [[2, 3], 4])
    assert.deepEqual(await slice(1, 2), [[3, 1], 4])
    assert.deepEqual(await slice(3, 2), [[4], 4])
    assert.deepEqual(await slice(4, 2), [[], 4])
    assert.deepEqual(await slice(400, 2), [[], 4])
    assert.deepEqual(await slice(0, 0), [[], 4])
  })

  check('pages do not overlap and omit no record', async (library) => {
    await library.accept(Array.from({ length: 57 }, (_, index) => insert('category', { name: `tie ${index % 3}` })))
    const sort: SortKey[] = [{ field: 'name', order: 'desc' }]
    const pages: number[] = []
    for (let offset = 0; offset < 57; offset += 10) {
      const [records] = await library.find('category', [], sort, { offset, limit: 10 })
      pages.push(...records.map(({ id }) => id))
    }
    assert.deepEqual(pages, await library.ids('category', [], sort))
    assert.equal(new Set(pages).size, 57)
  })

  check('ends with the reason of a signal that is aborted', async (library) => {
    await shelve(library)
    const [gone, present] = [{ signal: AbortSignal.abort('gone') }, { signal: new AbortController().signal }]
    const plan = { filters: [], sort: [], offset: 0, limit: 1 }
    const groups = { filters: [], groupBy: [], sums: [], ranges: [], limit: 1 }
    const isGone = (error: unknown) => error === 'gone'
    await assert.rejects(library.store.find('book', plan, gone), isGone)
    await assert.rejects(library.store.findEach('book', [plan], gone), isGone)
    await assert.rejects(library.store.aggregate('book', groups, gone), isGone)
    assert.equal((await library.store.find('book', plan, present)).total, 5)
  })

  check('sees the result of the last transaction', async (library) => {
    await shelve(library)
    const draft: Filter[] = [{ field: 'status', operator: 'eq', value: 'draft' }]
    await library.accept([
      { kind: 'update', table: 'book', id: 1, values: { status: 'published' } },
      { kind: 'update', table: 'book', id: 5, values: { status: 'draft' } },
      { kind: 'remove', table: 'book', id: 4 },
    ])
    assert.deepEqual(await library.ids('book', draft), [5])
    assert.deepEqual(await library.find('book', draft, [], { limit: 0 }), [[], 1])
  })
}
