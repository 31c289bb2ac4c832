import type { Violation } from '../../../src/store/store.ts'
import type { Json, JsonObject } from '../../../src/util/json.ts'
import type { Check } from './contract.ts'
import { insert, type Library, remove, update } from './library.ts'

const at = (kind: 'not_null' | 'unique' | 'foreign_key' | 'check', field: string, index = 0): Violation => ({
  kind,
  index,
  field,
})

const trap = JSON.parse('{"__proto__": {"admin": true}}') as JsonObject

/** Values that break a bound of a book, and values at its edge that do not. */
const BOUNDS: readonly (readonly [field: string, broken: readonly Json[], sound: readonly Json[]])[] = [
  ['title', ['x', 'x'.repeat(101), '😀', 12], ['xx', 'x'.repeat(100), '😀'.repeat(100)]],
  ['code', ['a', 'a-', 'A-1', 'x a-1', 7], ['a-1', 'abc-999']],
  ['status', ['', 'gone', 1], ['draft', 'published']],
  ['pages', [0, 10_001, 1.5, '5', true], [1, 10_000]],
  ['price', [0, -1, 1000, '2'], [0.01, 999.99]],
  ['published', ['2020-02-30', '2020-1-1', 20200101], ['2020-02-29']],
  // Merging a JSON object with this key could change a prototype.
  ['meta', [trap, { list: [trap] }], [{ constructor: 1 }, '__proto__', [], {}, 0, false]],
  ['labels', ['new', ['other'], [1]], [[], ['new'], ['signed', 'rare']]],
]

export function checkViolations(check: Check): void {
  check('not_null: a required value is absent or null', async (library) => {
    await library.addBook()
    const cases: [values: Record<string, Json>, violations: Violation[]][] = [
      [{ isbn: 'x', author_id: 1 }, [at('not_null', 'title')]],
      [{ title: null, isbn: 'x', author_id: 1 }, [at('not_null', 'title')]],
      [{ title: 'xx', isbn: 'x', author_id: null }, [at('not_null', 'author_id')]],
      [{}, [at('not_null', 'title'), at('not_null', 'isbn'), at('not_null', 'author_id')]],
    ]
    for (const [values, violations] of cases) await library.refuse([insert('book', values)], violations)
    await library.refuse([update('book', 1, { title: null })], [at('not_null', 'title')])
    await library.accept([update('book', 1, { pages: null, editor_id: null, meta: null })])
  })

  check('check: a value breaks the limits or the type of its field', async (library) => {
    await library.addBook()
    for (const [field, broken, sound] of BOUNDS) {
      for (const value of broken) await library.refuse([update('book', 1, { [field]: value })], [at('check', field)])
      for (const value of sound) await library.accept([update('book', 1, { [field]: value })])
    }
    await library.refuse([insert('book', { title: 'y', isbn: 'x', author_id: 1 })], [at('check', 'title')])
  })

  check('check: the limits of a secret field do not apply to its stored hash', async (library) => {
    await library.add('author', { name: 'a', passphrase: '$h$1' })
  })

  check('unique: another record has the value', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    await library.refuse([insert('genre', { name: 'a' })], [at('unique', 'name')])
    await library.refuse([update('genre', 2, { name: 'a' })], [at('unique', 'name')])
    await library.accept([update('genre', 2, { name: 'b' }), insert('genre', { name: 'A' })])
  })

  check('unique: several records may have null', async (library) => {
    await library.accept([
      insert('author', { name: 'a' }),
      insert('author', { name: 'b' }),
      insert('author', { name: 'c', email: null }),
    ])
  })

  check('unique: a value can be reused after its record has changed it', async (library) => {
    await library.accept([insert('genre', { name: 'a' }), insert('genre', { name: 'b' })])
    await library.accept([remove('genre', 1)])
    await library.accept([update('genre', 2, { name: 'a' })])
    await library.accept([insert('genre', { name: 'b' })])
  })

  check('unique: duplicates within one transaction', async (library) => {
    await library.add('genre', { name: 'b' })
    await library.refuse(
      ['x', 'y', 'x', 'y', 'x'].map((name) => insert('genre', { name })),
      [at('unique', 'name', 2), at('unique', 'name', 3), at('unique', 'name', 4)],
    )
    await library.refuse([insert('genre', { name: 'x' }), update('genre', 1, { name: 'x' })], [at('unique', 'name', 1)])
  })

  check('unique: the later operation is at fault, not the record that had the value', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.addBook({ isbn: 'held', author_id: (await library.add('author', { name: 'x' })).id })
    await library.refuse(
      [insert('book', { title: 'Copy', isbn: 'held', author_id: 1 }), update('book', 1, { pages: 5 })],
      [at('unique', 'isbn', 0)],
    )
  })

  check('unique: a record that a removal sets to null is not at fault', async (library) => {
    const editor = await library.add('author', { name: 'Editor' })
    const book = await library.addBook({ isbn: 'held', editor_id: editor.id })
    await library.refuse(
      [insert('book', { title: 'Copy', isbn: 'held', author_id: book.author_id ?? null }), remove('author', editor.id)],
      [at('unique', 'isbn', 0)],
    )
  })

  check('unique: a one_to_one reference exists once', async (library) => {
    await library.addBook()
    await library.add('cover', { book_id: 1 })
    await library.refuse([insert('cover', { book_id: 1 })], [at('unique', 'book_id')])
  })

  check('foreign_key: the referenced record must exist', async (library) => {
    await library.addBook()
    await library.add('genre', { name: 'a' })
    await library.refuse([update('book', 1, { author_id: 9 })], [at('foreign_key', 'author_id')])
    await library.refuse([update('book', 1, { editor_id: 9 })], [at('foreign_key', 'editor_id')])
    await library.refuse([update('book', 1, { genres: [1, 9] })], [at('foreign_key', 'genres')])
    await library.refuse([insert('review', { book_id: 2 })], [at('foreign_key', 'book_id')])
    await library.accept([update('book', 1, { genres: [1], editor_id: 1 })])
  })

  check('foreign_key: a removed record does not exist', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.addBook()
    await library.accept([remove('genre', 1)])
    await library.refuse([update('book', 1, { genres: [1] })], [at('foreign_key', 'genres')])
  })

  check('missing: a missing record can be neither updated nor removed', async (library) => {
    await library.add('genre', { name: 'a' })
    await library.refuse([update('genre', 2, { name: 'b' })], [{ kind: 'missing', index: 0, id: 2 }])
    await library.refuse([remove('genre', 2)], [{ kind: 'missing', index: 0, id: 2 }])
    await library.accept([remove('genre', 1)])
    await library.refuse([remove('genre', 1)], [{ kind: 'missing', index: 0, id: 1 }])
  })

  check('returns all violations of all operations', async (library) => {
    await seedForMany(library)
    await library.refuse(
      [
        insert('genre', { name: 'fine' }),
        insert('book', { title: 'x', isbn: 'held', author_id: 77, pages: 0 }),
        update('genre', 44, { name: 'nobody' }),
        remove('author', 1),
        insert('genre', { name: 'a' }),
        update('genre', 1, { name: null }),
        update('author', 2, { rank: 11 }, { id: 2 }),
        insert('review', {}),
      ],
      [
        at('check', 'title', 1),
        at('check', 'pages', 1),
        at('unique', 'isbn', 1),
        at('foreign_key', 'author_id', 1),
        { kind: 'missing', index: 2, id: 44 },
        { kind: 'restrict', index: 3, id: 1, table: 'book', field: 'author_id', count: 1 },
        at('not_null', 'name', 5),
        { kind: 'stale', index: 6, id: 2 },
        at('not_null', 'book_id', 7),
      ],
    )
  })

  check('a violation has the index of the operation that caused it, if several change one record', async (library) => {
    await library.add('author', { name: 'a' })
    await library.refuse([update('author', 1, { rank: 5 }), update('author', 1, { name: null })], [at('not_null', 'name', 1)])
    await library.refuse([update('author', 1, { rank: 50 }), update('author', 1, { name: 'b' })], [at('check', 'rank', 0)])
  })

  check('a violation that a later operation corrects is none', async (library) => {
    await library.accept([insert('author', { name: 'a', rank: 50 }, 1), update('author', 1, { rank: 5 })])
  })
}

async function seedForMany(library: Library): Promise<void> {
  await library.accept([insert('author', { name: 'x' }), insert('author', { name: 'y' }), insert('genre', { name: 'a' })])
  await library.addBook({ isbn: 'held', author_id: 1 })
}
