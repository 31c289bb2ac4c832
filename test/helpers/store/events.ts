import assert from 'node:assert/strict'
import type { ChangeKind, EventRequest, Operation, Outcome, StoredRecord } from '../../../src/store/store.ts'
import { valuesOf } from '../values-of.ts'
import type { Check } from './contract.ts'
import { insert, type Library, remove, type TableName, update } from './library.ts'

const AT = '2026-01-15T12:00:00.000Z'

/** An order by which these listeners are told of these changes. */
function orderOf(
  audience: readonly (readonly [TableName, Partial<Record<ChangeKind, readonly number[]>>])[],
  key = 'key',
): EventRequest {
  return { table: 'event', audience: new Map(audience), key, at: AT }
}

const EVERYTHING = { create: [1], update: [1], delete: [1] }

async function listeners(library: Library, count: number): Promise<void> {
  const operations = Array.from({ length: count }, (): Operation => ({ kind: 'insert', table: 'listener', values: {} }))
  await library.store.transact(operations)
}

/** A transaction that must go through. */
async function transact(
  library: Library,
  operations: readonly Operation[],
  order: EventRequest,
): Promise<Extract<Outcome, { ok: true }>> {
  const outcome = await library.store.transact(operations, 'commit', { events: order })
  if (!outcome.ok) assert.fail(`Refused: ${JSON.stringify(outcome.violations)}`)
  return outcome
}

async function events(library: Library): Promise<readonly StoredRecord[]> {
  return (await library.store.find('event', { filters: [], sort: [], offset: 0, limit: 10_000 })).records
}

const toldOf = ({ event, model, record_id: id }: StoredRecord) => `${event} ${model} ${id}`

export function checkEvents(check: Check): void {
  check('an event contains the change, its time and its receivers', async (library) => {
    await listeners(library, 2)
    const order = orderOf([['genre', { create: [1, 2], update: [2], delete: [1] }]])
    const { records, changes } = await transact(library, [insert('genre', { name: 'sea' })], order)
    assert.equal(records.length, 1, 'an event counts as a record of an operation')
    const [event] = await events(library)
    assert.deepEqual(event, {
      id: 1,
      message_id: 'key',
      event: 'create',
      model: 'genre',
      record_id: 1,
      data: '{"id":1,"name":"sea"}',
      timestamp: AT,
      pending: [1, 2],
    })
    assert.deepEqual(changes.at(-1), { table: 'event', id: 1, before: undefined, after: event })
    await transact(library, [update('genre', 1, { name: 'shore' })], order)
    await transact(library, [remove('genre', 1)], order)
    assert.deepEqual(valuesOf(await events(library), 'event', 'data', 'pending'), [
      ['create', '{"id":1,"name":"sea"}', [1, 2]],
      ['update', '{"id":1,"name":"shore"}', [2]],
      ['delete', '{"id":1,"name":"shore"}', [1]],
    ])
  })

  check('without a request or a receiver no event is stored', async (library) => {
    await listeners(library, 1)
    await library.accept([insert('genre', { name: 'a' })])
    await transact(library, [insert('genre', { name: 'b' })], orderOf([]))
    await transact(library, [insert('genre', { name: 'c' })], orderOf([['author', EVERYTHING]]))
    await transact(library, [insert('genre', { name: 'd' })], orderOf([['genre', { create: [], update: [1] }]]))
    assert.deepEqual(await events(library), [])
  })

  check('each record of a transaction has an event with its own id, in order', async (library) => {
    await listeners(library, 1)
    await library.add('genre', { name: 'old' })
    const operations = [insert('genre', { name: 'a' }), update('genre', 1, { name: 'b' }), insert('genre', { name: 'c' })]
    await transact(library, operations, orderOf([['genre', EVERYTHING]], 'first'))
    await transact(library, [remove('genre', 1)], orderOf([['genre', EVERYTHING]], 'second'))
    assert.deepEqual(
      (await events(library)).map((event) => `${event.message_id} ${toldOf(event)}`),
      ['first create genre 2', 'first_2 update genre 1', 'first_3 create genre 3', 'second delete genre 1'],
    )
  })

  check('many new records of a few tables refer to each other, and have events in their order', async (library) => {
    await listeners(library, 1)
    const many = Array.from({ length: 150 }, (_, index) => index)
    const [id = 0] = await library.store.takeIds('category', 1)
    const operations = [
      insert('category', { name: 'sea' }, id),
      ...many.map((number) => insert('series', { name: `series ${number}`, category_id: id })),
      insert('genre', { name: 'last' }),
    ]
    const order = orderOf(
      [
        ['category', EVERYTHING],
        ['series', EVERYTHING],
        ['genre', EVERYTHING],
      ],
      'key',
    )
    const { records, changes } = await transact(library, operations, order)
    const told = ['create category 1', ...many.map((number) => `create series ${number + 1}`), 'create genre 1']
    assert.deepEqual((await events(library)).map(toldOf), told)
    assert.equal(new Set(valuesOf(await events(library), 'message_id')).size, told.length)
    assert.deepEqual(valuesOf(records, 'id'), [1, ...many.map((number) => number + 1), 1])
    assert.deepEqual(
      changes.map(({ table }) => table),
      ['category', ...many.map(() => 'series'), 'genre', ...told.map(() => 'event')],
    )
    const again = [...operations.slice(1), insert('genre', { name: 'new' })]
    await library.refuse(again, [{ kind: 'unique', index: many.length, field: 'name' }])
    assert.deepEqual(
      await library.ids('series'),
      many.map((number) => number + 1),
    )
  })

  check('new records of several tables have the ids that were taken before, each with its own event', async (library) => {
    await listeners(library, 2)
    await library.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
    const { store } = library
    const [[above = 0, below = 0], [book = 0]] = await Promise.all([store.takeIds('category', 2), store.takeIds('book', 1)])
    const [[author = 0], [genre = 0]] = await Promise.all([store.takeIds('author', 1), store.takeIds('genre', 1)])
    const operations = [
      insert('review', { book_id: book, text: 'first' }),
      insert('series', { name: 'one', category_id: below }),
      insert('category', { name: 'below', parent_id: above }, below),
      insert('genre', { name: 'next' }),
      insert('book', { title: 'Book', isbn: '1', author_id: author, genres: [genre, 1] }, book),
      insert('category', { name: 'above', merged_into_id: above }, above),
      insert('review', { book_id: book, text: 'second' }),
      insert('genre', { name: 'sea' }, genre),
      insert('author', { name: 'Ann', passphrase: 'hash' }, author),
      insert('series', { name: 'two' }),
    ]
    const order = orderOf([
      ['review', { create: [1] }],
      ['category', { create: [2, 1] }],
      ['book', { create: [2] }],
      ['author', { create: [1] }],
      ['series', { update: [1] }],
    ])
    const { records, changes } = await transact(library, operations, order)
    const tables = operations.map(({ table }) => table as TableName)
    assert.deepEqual(
      records.map(({ id, name, text, title }, index) => [tables[index], id, name ?? text ?? title]),
      [
        ['review', 1, 'first'],
        ['series', 1, 'one'],
        ['category', 2, 'below'],
        ['genre', 5, 'next'],
        ['book', 1, 'Book'],
        ['category', 1, 'above'],
        ['review', 2, 'second'],
        ['genre', 4, 'sea'],
        ['author', 1, 'Ann'],
        ['series', 2, 'two'],
      ],
    )
    for (const [index, record] of records.entries()) {
      const [stored] = await store.get(tables[index] ?? 'book', [record.id])
      assert.deepEqual(stored, record)
    }
    const told = await events(library)
    assert.deepEqual(told.map((event) => `${toldOf(event)} ${event.pending}`).sort(), [
      ...['create author 1 1', 'create book 1 2', 'create category 1 2,1', 'create category 2 2,1'],
      ...['create review 1 1', 'create review 2 1'],
    ])
    for (const { model, record_id: id, data } of told) {
      const { passphrase, ...expected } = { ...(await library.expect(model as TableName, Number(id))) }
      assert.deepEqual(JSON.parse(String(data)), expected)
    }
    assert.deepEqual(
      changes.filter(({ table }) => table === 'event').map(({ after }) => after),
      told,
    )
    const made = changes.filter(({ table }) => table !== 'event')
    assert.deepEqual(
      made.map(({ table, id, after }) => `${table} ${id} ${after?.id}`).sort(),
      records.map(({ id }, index) => `${tables[index]} ${id} ${id}`).sort(),
    )
    // They are of the version that is stored.
    await library.accept([update('book', book, { title: 'Other' }, records[4])])
    await library.accept([update('category', below, { name: 'other' }, records[2])])
  })

  check('records that a removal deletes or sets to null have events', async (library) => {
    await listeners(library, 1)
    await library.add('genre', { name: 'g' })
    await library.add('category', { name: 'c' })
    await library.add('series', { name: 's', category_id: 1 })
    await library.addBook({ series_id: 1 })
    await library.addBook({ editor_id: 1, genres: [1] })
    await library.accept([insert('cover', { book_id: 1 }), insert('review', { book_id: 1 })])
    const tables = (['category', 'series', 'book', 'cover', 'review', 'genre', 'author'] as const).map(
      (table) => [table, EVERYTHING] as const,
    )
    await transact(library, [remove('category', 1)], orderOf(tables))
    assert.deepEqual((await events(library)).map(toldOf).sort(), [
      'delete book 1',
      'delete category 1',
      'delete cover 1',
      'delete review 1',
      'delete series 1',
    ])
    await transact(library, [remove('genre', 1), remove('author', 1)], orderOf(tables, 'later'))
    const later = (await events(library)).filter(({ message_id: name }) => String(name).startsWith('later'))
    assert.deepEqual(later.map(toldOf).sort(), ['delete author 1', 'delete genre 1', 'update book 2'])
    const data = JSON.parse(String(later.find(({ model }) => model === 'book')?.data)) as StoredRecord
    assert.deepEqual([data.editor_id, data.genres], [null, []])
  })

  check('events contain no secrets', async (library) => {
    await listeners(library, 1)
    const others = { email: null, rank: null, active: null }
    await transact(library, [insert('author', { name: 'a', ...others, passphrase: 'hashed' })], orderOf([['author', EVERYTHING]]))
    await transact(library, [update('author', 1, { passphrase: 'other' })], orderOf([['author', EVERYTHING]]))
    await transact(library, [remove('author', 1)], orderOf([['author', EVERYTHING]]))
    const told = (await events(library)).map(({ data }) => data)
    assert.deepEqual(told, Array(3).fill('{"id":1,"name":"a","email":null,"rank":null,"active":null}'))
  })

  check('rejected transactions and dry runs store no events', async (library) => {
    await listeners(library, 1)
    await library.add('genre', { name: 'taken' })
    const order = orderOf([['genre', EVERYTHING]])
    const batch = [insert('genre', { name: 'free' }), insert('genre', { name: 'taken' })]
    assert.equal((await library.store.transact(batch, 'commit', { events: order })).ok, false)
    assert.equal((await library.store.transact([insert('genre', { name: 'free' })], 'rehearse', { events: order })).ok, true)
    assert.deepEqual(await events(library), [])
  })

  check('a record inserted and removed in one transaction has no event', async (library) => {
    await listeners(library, 1)
    await transact(library, [insert('genre', { name: 'a' }, 5), remove('genre', 5)], orderOf([['genre', EVERYTHING]]))
    assert.deepEqual(await events(library), [])
  })

  check('a removed receiver gets no further events', async (library) => {
    await listeners(library, 2)
    await transact(library, [insert('genre', { name: 'a' })], orderOf([['genre', { create: [1, 2] }]]))
    await library.store.transact([{ kind: 'remove', table: 'listener', id: 1 }])
    assert.deepEqual((await events(library))[0]?.pending, [2])
  })
}

/** For engines that keep what they are given: events are kept with their records, and their ids stay given. */
export function checkKeptEvents(check: Check): void {
  check('events are stored with their records', async (library, lending) => {
    await listeners(library, 1)
    const order = orderOf([['genre', EVERYTHING]])
    await transact(library, [insert('genre', { name: 'a' }), insert('genre', { name: 'b' })], order)
    const before = await events(library)
    const reopened = await lending.reopen()
    assert.deepEqual(await events(reopened), before)
    await transact(reopened, [remove('genre', 1)], order)
    assert.deepEqual(valuesOf(await events(reopened), 'id'), [1, 2, 3])
  })
}
