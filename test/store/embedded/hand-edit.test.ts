import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { Library, libraryRegistry } from '../../helpers/store/library.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { folderTest, inFolder, journalsIn, type Place, whenOpened } from './folder.ts'

/** Adds records that use every kind of constraint, one per line. */
async function furnish({ shelves, store }: Place): Promise<void> {
  await shelves.add('author', { name: 'Ann', email: 'ann@example.com', rank: 3, active: true, passphrase: '$argon2id$x' })
  await shelves.add('author', { name: 'Bob', email: 'bob@example.com' })
  for (const name of ['a', 'b', 'c']) await shelves.add('genre', { name })
  await shelves.addBook({ author_id: 1, code: 'ab-1', status: 'draft', pages: 3, labels: ['new'], genres: [1, 2] })
  await shelves.add('cover', { book_id: 1 })
  await store.close()
}

/** The text to replace in the file (its first occurrence), and what the message must contain. */
const EDITS: readonly (readonly [name: string, from: string, to: string, said: readonly string[]])[] = [
  ['a number for text', '"name":"Ann"', '"name":7', ['tables.author.records[0].name must be a string (id 1, line 6)']],
  ['text for a number', '"rank":3', '"rank":"3"', ['tables.author.records[0].rank must be an integer (id 1, line 6)']],
  ['a fraction', '"rank":3', '"rank":3.5', ['tables.author.records[0].rank must be an integer']],
  ['a number out of bounds', '"rank":3', '"rank":11', ['records[0].rank must be less than or equal to 10']],
  ['text for a boolean', '"active":true', '"active":"yes"', ['records[0].active must be a boolean']],
  ['an address that is none', 'bob@example.com', 'bob', ['tables.author.records[1].email format is invalid (id 2, line 7)']],
  ['a secret that is a number', '"$argon2id$x"', '12', ['records[0].passphrase must be a string']],
  ['null for what is mandatory', '"name":"Bob"', '"name":null', ['tables.author.records[1].name is mandatory']],
  ['nothing for what is mandatory', '"name":"Bob",', '', ['tables.author.records[1].name is mandatory']],
  ['a value twice', '"name":"b"', '"name":"a"', ['tables.genre.records[1].name must be unique, and records[0] has the same']],
  ['an id twice', '{"id":3,"name":"c"}', '{"id":1,"name":"c"}', ['tables.genre.records[2] has the id 1, as has records[0]']],
  ['an id of 0', '{"id":3,"name":"c"}', '{"id":0,"name":"c"}', ['tables.genre.records[2] must have an id, an integer from 1']],
  ['a record without an id', '{"id":3,"name":"c"}', '{"name":"c"}', ['tables.genre.records[2] must have an id']],
  ['a record that is a list', '{"id":3,"name":"c"}', '[3]', ['tables.genre.records[2] must have an id']],
  ['a record that is null', '{"id":3,"name":"c"}', 'null', ['tables.genre.records[2] must have an id']],
  [
    'a choice that is none',
    '"draft"',
    '"drift"',
    ['tables.book.records[0].status must be one of: draft, published (id 1, line 15)'],
  ],
  ['a pattern that is broken', '"ab-1"', '"1-ab"', ['tables.book.records[0].code format is invalid']],
  ['a list of wrong choices', '["new"]', '["old"]', ['tables.book.records[0].labels must be one of']],
  [
    'a link that leads nowhere',
    '"genres":[1,2]',
    '"genres":[1,9]',
    ['records[0].genres refers to genre 9, which does not exist'],
  ],
  ['a link twice', '"genres":[1,2]', '"genres":[1,1]', ['tables.book.records[0].genres must be written as [1]']],
  [
    'a reference that leads nowhere',
    '"author_id":1',
    '"author_id":9',
    ['book.records[0].author_id refers to author 9, which does not'],
  ],
  [
    'a record that others refer to taken out',
    '{"id":2,"name":"b"},\n',
    '',
    ['tables.book.records[0].genres refers to genre 2, which does not exist (id 1, line 14)'],
  ],
  [
    'two faults in two tables',
    '"name":"Ann","email":"ann@example.com","rank":3',
    '"name":"Bob","email":"ann","rank":0',
    [
      'records[0].email format is invalid',
      'records[0].rank must be greater than or equal to 1',
      'records[1].name must be unique',
    ],
  ],
]

describe('an invalid record in an edited db.json', () => {
  for (const [name, from, to, said] of EDITS) {
    folderTest(`${name} is reported, and no record is dropped`, async (place) => {
      await furnish(place)
      const text = readFileSync(place.file, 'utf8')
      assert.ok(text.includes(from), text)
      const edited = text.replace(from, to)
      writeFileSync(place.file, edited)
      for (const mode of ['write', 'read'] as const) {
        await assert.rejects(FileStore.open(place.folder, place.registry, mode), (error: unknown) => {
          assert.ok(error instanceof AppError && error.code === 'DATA_CORRUPT', String(error))
          for (const words of said) assert.ok(error.message.includes(words), `${error.message} does not say ${words}`)
          assert.equal(error.message.split('\n').length, said.length + 2, error.message)
          assert.match(error.message, /admin compact --accept$/)
          return true
        })
        assert.equal(readFileSync(place.file, 'utf8'), edited)
        assert.deepEqual(readdirSync(place.folder), ['db.json'])
      }
      writeFileSync(place.file, text)
      const { shelves } = await place.reopen()
      assert.equal((await shelves.everything()).genre?.length, 3)
    })
  }

  folderTest('is one of at most fifty reported ones; the others are counted', async ({ store, file, folder, registry }) => {
    await store.close()
    const records = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, name: index }))
    writeFileSync(file, JSON.stringify({ format: 1, tables: { genre: { records } } }))
    await assert.rejects(FileStore.open(folder, registry, 'write'), (error: Error) => {
      assert.equal(error.message.match(/must be a string/g)?.length, 50)
      assert.match(error.message, /\n… and 10 more\n/)
      return true
    })
  })
})

/** Content that JSON allows and a rewrite would lose: the change of the file, and what the message must contain. */
const LOSSES: readonly (readonly [name: string, change: (text: string) => string, said: string])[] = [
  [
    'a table twice',
    (text) => text.replace('"genre": {', '"genre": {"next_id": 9, "records": [\n]},\n"genre": {'),
    'tables.genre occurs twice',
  ],
  [
    'a table twice, pretty-printed',
    (text) => pretty(text).replace('    "genre": {', '    "genre": {"records": [{"id": 8}]},\n    "genre": {'),
    'line 24: the key "genre" occurs twice',
  ],
  [
    'the tables twice',
    (text) => text.replace('"tables": {', '"tables": {},\n"tables": {'),
    'line 5: the key "tables" occurs twice',
  ],
  [
    'the id twice in a record',
    (text) => text.replace('{"id":2,"name":"b"}', '{"id":7,"id":2,"name":"b"}'),
    'line 11: the key "id" occurs',
  ],
  [
    'a field twice in a record',
    (text) => text.replace('"name":"b"', '"name":"x","name":"b"'),
    'line 11: the key "name" occurs twice',
  ],
  [
    'a field twice in a record, pretty-printed',
    (text) => pretty(text).replace('"name": "b"', '"name": "x", "name": "b"'),
    'the key "name" occurs twice',
  ],
  [
    'a member of ours to which one was added',
    (text) => text.replace(/"checksum.*\n/, '"checksum": "0", "note": [1]\n'),
    ': note is not a member',
  ],
  [
    'a table with more than records',
    (text) => text.replace('"next_id": 4', '"next_id": 4, "note": 1'),
    ': tables.genre.note is not a member',
  ],
]

const pretty = (text: string): string => JSON.stringify(JSON.parse(text), null, 2)

describe('an edited db.json with content that a rewrite would lose', () => {
  for (const [name, change, said] of LOSSES) {
    folderTest(`(${name}) is rejected and not changed`, async (place) => {
      await furnish(place)
      const text = readFileSync(place.file, 'utf8')
      const edited = change(text)
      assert.notEqual(edited, text)
      writeFileSync(place.file, edited)
      for (const mode of ['write', 'read'] as const) {
        await assert.rejects(FileStore.open(place.folder, place.registry, mode), (error: unknown) => {
          assert.ok(error instanceof AppError && error.code === 'DATA_CORRUPT', String(error))
          assert.ok(error.message.includes(said), error.message)
          return true
        })
        assert.equal(readFileSync(place.file, 'utf8'), edited)
      }
      writeFileSync(place.file, text)
    })
  }
})

/** The same content in layouts of editors and other programs. */
const LAYOUTS: readonly (readonly [name: string, change: (text: string) => string])[] = [
  ['pretty-printed', (text) => JSON.stringify(JSON.parse(text), null, 2)],
  ['with the byte order mark of an editor', (text) => `\uFEFF${text}`],
  ['on one line', (text) => JSON.stringify(JSON.parse(text))],
  ['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['with two records on a line', (text) => text.replace('},\n{"id":2,"name":"b"}', '}, {"id":2,"name":"b"}')],
  ['with a record on two lines', (text) => text.replace('{"id":2,"name":"b"}', '{"id":2,\n"name":"b"}')],
  ['with spaces in a record', (text) => text.replace('{"id":2,"name":"b"}', '{ "id": 2, "name": "b" }')],
  ['with the id last', (text) => text.replace('{"id":2,"name":"b"}', '{"name":"b","id":2}')],
  ['with an id that is written as a fraction', (text) => text.replace('{"id":2,"name":"b"}', '{"id":2.0,"name":"b"}')],
  ['with records in another order', (text) => text.replace(/(\{"id":1,"name":"a"\}),\n(.*"b"\}),\n(.*"c"\})/, '$3,\n$1,\n$2')],
  ['without a checksum', (text) => text.replace(/,\n"checksum".*\n/, '\n')],
  ['with an empty line at the end', (text) => `${text}\n`],
  [
    'with spaces and words of JSON in a text',
    (text) => text.replace('"draft"', '"draft" ').replace('"name":"Bob"', '"name":"\\"a\\": \\\\"'),
  ],
  ['with an empty table', (text) => text.replace('"tables": {', '"tables": {\n"stranger": {"next_id": 4, "records": [\n]},')],
]

describe('a valid edited db.json', () => {
  for (const [name, change] of LAYOUTS) {
    folderTest(`${name} opens with one warning, and is rewritten`, async (place) => {
      await furnish(place)
      const text = readFileSync(place.file, 'utf8')
      const edited = change(text)
      assert.notEqual(edited, text)
      writeFileSync(place.file, edited)
      const before = await readAll(place)
      await whenOpened(place.folder, async (shelves, warnings) => {
        assert.equal(warnings.length, 1, warnings.join('\n'))
        assert.match(
          warnings[0] ?? '',
          /^db\.json (was edited since it was last written|has no checksum); its 7 records were validated and are correct$/,
        )
        assert.deepEqual(await byId(shelves), before)
        assert.equal((await shelves.expect('genre', 2)).name, 'b')
      })
      const after = readFileSync(place.file, 'utf8')
      if (!/stranger|spaces/.test(edited) && !name.includes('spaces')) assert.equal(after, text)
      await whenOpened(place.folder, async (shelves, warnings) => {
        assert.deepEqual(warnings, [])
        assert.deepEqual(await byId(shelves), before)
      })
      assert.equal(readFileSync(place.file, 'utf8'), after)
    })
  }

  folderTest('derives the next id from its highest id if that is higher', async (place) => {
    await furnish(place)
    const text = readFileSync(place.file, 'utf8')
    writeFileSync(place.file, text.replace('{"id":3,"name":"c"}', '{"id":300,"name":"c"}'))
    await (await place.reopen()).store.close()
    const { shelves } = await place.reopen()
    assert.equal((await shelves.add('genre', { name: 'd' })).id, 301)
  })

  folderTest('is validated together with the journal, which is kept', async (place) => {
    await furnish(place)
    const { shelves, folder, file } = { ...place, ...(await place.reopen()) }
    await shelves.add('genre', { name: 'd' })
    await shelves.accept([{ kind: 'update', table: 'book', id: 1, values: { genres: [] } }])
    const [journal = ''] = journalsIn(folder)
    const lines = readFileSync(`${folder}/${journal}`)
    const text = readFileSync(file, 'utf8')
    // The journal's records no longer refer to it, and have the name set here.
    for (const [from, to, fault] of [
      ['{"id":2,"name":"b"},\n', '', undefined],
      ['"name":"b"', '"name":"d"', 'tables.genre.records[1].name must be unique, and genre 4 has the same (id 2, line '],
      [
        '{"id":1,"name":"Ann"',
        '{"id":5,"name":"Ann"',
        "the journal's book.author_id refers to author 1, which does not exist (id 1)",
      ],
    ] as const) {
      writeFileSync(file, text.replace(from, to))
      const opened = FileStore.open(folder, place.registry, 'read').then((store) => new Library(store).ids('genre'))
      if (fault === undefined) assert.deepEqual(await opened, [1, 3, 4])
      else await assert.rejects(opened, (error: Error) => error.message.includes(fault) || assert.fail(error.message))
      assert.deepEqual(readFileSync(`${folder}/${journal}`), lines)
    }
    writeFileSync(file, text)
  })

  test('is neither merged nor overwritten while the store is open', async () => {
    const warnings: string[] = []
    await inFolder(
      async (place) => {
        await furnish(place)
        const { shelves, store } = await place.reopen()
        await shelves.add('genre', { name: 'd' })
        const edited = readFileSync(place.file, 'utf8').replace('"name":"b"', '"name":"bb"')
        writeFileSync(place.file, edited)
        await store.close()
        assert.equal(readFileSync(place.file, 'utf8'), edited)
        assert.match(warnings.join('\n'), /^Compaction failed.*changed by another program/)
        const again = await place.reopen()
        const [genres] = await again.shelves.find('genre')
        assert.deepEqual(valuesOf(genres, 'name'), ['a', 'bb', 'c', 'd'])
        assert.deepEqual(journalsIn(place.folder), [])
      },
      { warn: (message) => warnings.push(message) },
    )
  })
})

folderTest('an unchanged db.json is not validated, although a model has become stricter', async (place) => {
  const lax = libraryRegistry(['author', 'book', 'cover', 'review'])
  await place.store.close()
  const text = '{"format": 1, "tables": {"author": {"records": [{"id": 1, "name": 5}]}}}'
  writeFileSync(place.file, text)
  await (await place.reopen(lax)).store.close()
  const { shelves } = await place.reopen()
  assert.equal((await shelves.expect('author', 1)).name, 5)
})

async function readAll({ folder, registry }: Place) {
  const store = await FileStore.open(folder, registry, 'read')
  return byId(new Library(store))
}

/** All records of all tables in id order. */
async function byId(shelves: Library) {
  const everything = await shelves.everything()
  return Object.fromEntries(Object.entries(everything).map(([name, records]) => [name, records.toSorted((a, b) => a.id - b.id)]))
}
