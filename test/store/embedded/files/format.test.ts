import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeEntry, type JournalEntry, readEntries } from '../../../../src/store/embedded/files/journal-format.ts'
import type { Change } from '../../../../src/store/store.ts'
import { valuesOf } from '../../../helpers/values-of.ts'

const FIRST = 7

const added = (id: number, name: string): Change => ({ table: 'genre', id, before: undefined, after: { id, name } })

/** The changes and next ids of each transaction. */
const TRANSACTIONS: readonly (readonly [changes: readonly Change[], nextIds: Readonly<Record<string, number>>])[] = [
  [[added(1, 'a')], { genre: 2 }],
  [[], { genre: 2 }],
  [[added(2, 'line\nbreak \r\n 0000000a 00000000 ')], { genre: 3 }],
  [[{ table: 'genre', id: 1, before: { id: 1, name: 'a' }, after: undefined }], { genre: 3 }],
  [[added(3, 'ü€😀'), added(4, '')], { genre: 5, book: 1 }],
  [
    [{ table: 'book', id: 1, before: undefined, after: { id: 1, meta: { ['__proto__']: [null, 1.5e300] }, genres: [2] } }],
    { book: 2 },
  ],
  [[added(9_007_199_254_740_990, 'z')], { genre: 9_007_199_254_740_991 }],
  [[added(5, '\u0000\u2028')], { genre: 9_007_199_254_740_991 }],
]

const LINES: readonly Buffer[] = TRANSACTIONS.map(([changes, nextIds], index) =>
  Buffer.from([...encodeEntry(FIRST + index, changes, new Map(Object.entries(nextIds)))].join('')),
)
const JOURNAL = Buffer.concat(LINES)
const ENTRIES: readonly JournalEntry[] = TRANSACTIONS.map(([changes, nextIds], index) => ({
  sequence: FIRST + index,
  changes: changes.map(({ table, id, after }) => [table, id, after ?? null] as const),
  nextIds,
}))
/** Where each line begins, and where the last ends. */
const BOUNDARIES = [0, ...LINES.map((_, index) => Buffer.concat(LINES.slice(0, index + 1)).length)]

/** Number of complete lines in the first `length` bytes. */
const wholeIn = (length: number): number => BOUNDARIES.filter((end) => end > 0 && end <= length).length

const without = (index: number): Buffer => Buffer.concat(LINES.filter((_, line) => line !== index))

describe('a journal', () => {
  test('decodes to what was encoded', () => {
    assert.deepEqual(readEntries(JOURNAL, FIRST), { entries: ENTRIES, validLength: JOURNAL.length, rest: 'none' })
    assert.deepEqual(readEntries(Buffer.alloc(0), FIRST), { entries: [], validLength: 0, rest: 'none' })
  })

  test('has one line for each transaction, for all values', () => {
    for (const [index, line] of LINES.entries()) {
      assert.equal(line.indexOf('\n'), line.length - 1, `line ${index}`)
      assert.match(line.toString(), /^[0-9a-f]{8} [0-9a-f]{8} \d+ \{.*\}\n$/s)
    }
  })

  test('truncated at any byte yields the transactions before it, and a torn end', () => {
    for (let length = 0; length <= JOURNAL.length; length++) {
      const whole = wholeIn(length)
      const validLength = BOUNDARIES[whole]
      assert.deepEqual(
        readEntries(JOURNAL.subarray(0, length), FIRST),
        { entries: ENTRIES.slice(0, whole), validLength, rest: validLength === length ? 'none' : 'torn' },
        `cut at byte ${length}`,
      )
    }
  })

  test('with a tail of zeros is torn, wherever the tail begins', () => {
    for (let from = 0; from < JOURNAL.length; from++) {
      const bytes = Buffer.from(JOURNAL).fill(0, from)
      const whole = wholeIn(from)
      const reading = readEntries(bytes, FIRST)
      assert.deepEqual(
        reading,
        { entries: ENTRIES.slice(0, whole), validLength: BOUNDARIES[whole], rest: 'torn' },
        `from ${from}`,
      )
    }
    const longer = readEntries(Buffer.concat([JOURNAL, Buffer.alloc(4096)]), FIRST)
    assert.deepEqual(longer, { entries: ENTRIES, validLength: JOURNAL.length, rest: 'torn' })
  })

  for (const mask of [0x01, 0x04, 0x10, 0x20, 0x80, 0xff]) {
    test(`with any single byte changed (by ${mask}) yields no other transaction`, () => {
      let detected = 0
      for (let offset = 0; offset < JOURNAL.length; offset++) {
        const bytes = Buffer.from(JOURNAL)
        bytes.writeUInt8(bytes.readUInt8(offset) ^ mask, offset)
        const { entries, validLength, rest } = readEntries(bytes, FIRST)
        if (rest === 'none') {
          assert.deepEqual(entries, ENTRIES, `byte ${offset}`)
          continue
        }
        const bad = BOUNDARIES.findLastIndex((start) => start <= offset)
        assert.deepEqual(entries, ENTRIES.slice(0, bad), `byte ${offset}`)
        assert.equal(validLength, BOUNDARIES[bad], `byte ${offset}`)
        assert.equal(rest, bad === LINES.length - 1 ? 'torn' : 'damaged', `byte ${offset} of ${JOURNAL.length}, in line ${bad}`)
        detected++
      }
      assert.equal(detected, JOURNAL.length, 'some changes went unnoticed')
    })
  }

  test('without its first line or one in the middle is damaged there', () => {
    for (let index = 0; index < LINES.length - 1; index++) {
      const { entries, validLength, rest } = readEntries(without(index), FIRST)
      assert.deepEqual(
        { entries, validLength, rest },
        { entries: ENTRIES.slice(0, index), validLength: BOUNDARIES[index], rest: 'damaged' },
        `without line ${index}`,
      )
    }
    assert.equal(readEntries(without(LINES.length - 1), FIRST).rest, 'none', 'a missing last line cannot be detected')
  })

  test('with a duplicate line, or two swapped ones, is damaged there', () => {
    const [a = Buffer.alloc(0), b = Buffer.alloc(0), c = Buffer.alloc(0)] = LINES
    for (const lines of [
      [a, a, b],
      [a, a],
      [a, c, b],
    ]) {
      const { entries, validLength, rest } = readEntries(Buffer.concat(lines), FIRST)
      assert.deepEqual({ entries, validLength, rest }, { entries: ENTRIES.slice(0, 1), validLength: a.length, rest: 'damaged' })
    }
  })

  describe('with a transaction of several lines', () => {
    const before = Buffer.from([...encodeEntry(FIRST, [added(1, 'a')], new Map())].join(''))
    const changes = Array.from({ length: 40 }, (_, index) => added(index + 2, `name ${index}`))
    const lines = [...encodeEntry(FIRST + 1, changes, new Map([['genre', 42]]), 100)].map((line) => Buffer.from(line))
    const group = Buffer.concat(lines)
    const after = Buffer.from([...encodeEntry(FIRST + 2, [added(42, 'z')], new Map())].join(''))
    const whole = Buffer.concat([before, group, after])

    test('decodes to one transaction', () => {
      assert.ok(lines.length > 10)
      const { entries, validLength, rest } = readEntries(whole, FIRST)
      assert.deepEqual(
        entries.map(({ sequence, changes: { length }, nextIds }) => [sequence, length, nextIds]),
        [
          [FIRST, 1, {}],
          [FIRST + 1, 40, { genre: 42 }],
          [FIRST + 2, 1, {}],
        ],
      )
      assert.deepEqual([validLength, rest], [whole.length, 'none'])
      assert.deepEqual(entries[1]?.changes, valuesOf(changes, 'table', 'id', 'after'))
    })

    test('truncated at any byte of it yields nothing of it, and a torn end', () => {
      for (let length = before.length + 1; length < before.length + group.length; length++) {
        const { entries, validLength, rest } = readEntries(whole.subarray(0, length), FIRST)
        assert.deepEqual([entries.length, validLength, rest], [1, before.length, 'torn'], `cut at byte ${length}`)
      }
    })

    test('without one of its lines is damaged there', () => {
      for (const index of lines.keys()) {
        const rest = Buffer.concat(lines.filter((_, line) => line !== index))
        const reading = readEntries(Buffer.concat([before, rest, after]), FIRST)
        assert.deepEqual(
          [reading.entries.length, reading.validLength, reading.rest],
          [1, before.length, 'damaged'],
          `line ${index}`,
        )
      }
    })
  })

  test('must begin with the sequence in its file name', () => {
    for (const first of [0, FIRST - 1, FIRST + 1]) {
      assert.deepEqual(readEntries(JOURNAL, first), { entries: [], validLength: 0, rest: 'damaged' })
    }
  })

  test('of other text is torn, and yields no transaction', () => {
    for (const text of ['x', '\n\n\n', '00000000 00000000 \n', 'ffffffff ffffffff 7 {}\n', '{"changes":[]}\n']) {
      assert.deepEqual(readEntries(Buffer.from(text), FIRST), { entries: [], validLength: 0, rest: 'torn' }, text)
    }
  })
})
