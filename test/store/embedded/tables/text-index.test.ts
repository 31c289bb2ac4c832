import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { valueTest } from '../../../../src/query/match.ts'
import { type PartFilter, TextIndex } from '../../../../src/store/embedded/tables/text-index.ts'
import type { Json } from '../../../../src/util/json.ts'
import { runInSlices, Slices, type Steps } from '../../../../src/util/slices.ts'

const PLAIN: readonly Json[] = [
  'ann@example.com',
  'ANN',
  'banana',
  'nan',
  'an',
  'a',
  '',
  null,
  'a b c',
  'abcbcd',
  'İzmir',
  'x'.repeat(300),
]
const NASTY: readonly Json[] = [
  ...PLAIN,
  'ΟΔΟΣ',
  'ΟΔΟΣ ΟΔΟΣ',
  'οδος',
  'οσο',
  'σ',
  'ς',
  '書籍',
  '000',
  '0\u00000',
  'ааа',
  '😀 ok',
  'STRASSE',
  'straße',
  7,
]

const GREEK: readonly Json[] = [...PLAIN, 'ΟΔΟΣ', 'ΟΔΟΣ ΟΔΟΣ', 'οδος', 'οσο', 'ΟΣΟ', 'Σ']
const PARTS = [
  '',
  'a',
  'an',
  'ann',
  'nan',
  'anan',
  'abcd',
  'bcd',
  'A',
  'AN',
  '.com',
  'com',
  'zmir',
  'İ',
  'i̇',
  'Σ',
  'σ',
  'ς',
  'ΟΣ',
  'ος',
  'οσ',
  'ΔΟΣ',
  'ΟΔΟΣ',
]
const NASTY_PARTS = [...PARTS, '書', '籍', '000', 'ааа', '0', '\u0000', '😀', 'ss', 'ß', 'SSE', 'x'.repeat(20)]

const filtersFor = (parts: readonly string[]): PartFilter[] =>
  parts.flatMap((value) => [
    { field: 'text', operator: 'icontains', value },
    { field: 'text', operator: 'endswith', value },
  ])

function indexOf(values: Json[]): TextIndex {
  const index = new TextIndex(
    (row) => values[row] ?? null,
    () => values.length,
  )
  for (const [row, value] of values.entries()) index.add(row, value)
  return index
}

function checkAll(index: TextIndex, values: readonly (Json | undefined)[], parts: readonly string[]): void {
  for (const filter of filtersFor(parts)) {
    const matches = valueTest(filter)
    const expected = [...values.keys()].filter((row) => values[row] !== undefined && matches(values[row] ?? null))
    const found: number[] = []
    assert.ok(index.atMost(filter) >= expected.length, `too few estimated for ${JSON.stringify(filter)}`)
    index.matching(filter).each((row) => found.push(row))
    assert.deepEqual(found, expected, JSON.stringify(filter))
  }
}

function stepsOf(steps: Steps<void>): number {
  let count = 0
  for (; steps.next().done !== true; ) count++
  return count
}

describe('a text index', () => {
  for (const [name, values, parts] of [
    ['plain', PLAIN, PARTS],
    ['Greek', GREEK, PARTS],
    ['any', NASTY, NASTY_PARTS],
    ['many', Array.from({ length: 2000 }, (_, row) => NASTY[(row * row) % NASTY.length] ?? null), NASTY_PARTS],
  ] as const) {
    test(`finds parts of ${name} text as a plain comparison does`, () => {
      const texts = [...values]
      checkAll(indexOf(texts), texts, parts)
    })

    test(`keeps its cached results of ${name} text up to date`, () => {
      const texts: (Json | undefined)[] = [...values]
      const index = indexOf(texts as Json[])
      checkAll(index, texts, parts)
      for (const [row, value] of values.entries()) {
        if (row % 3 === 0) continue
        index.remove(row, value)
        texts[row] = row % 3 === 1 ? undefined : (values[(row * 7) % values.length] ?? null)
        if (texts[row] !== undefined) index.add(row, texts[row] ?? null)
      }
      texts.push('ann once more')
      index.add(texts.length - 1, 'ann once more')
      checkAll(index, texts, parts)
      checkAll(index, texts, [...parts, 'once more', 'ore'])
    })
  }

  test('finds rows in slices while texts come, change and go', async () => {
    const texts: (Json | undefined)[] = Array.from({ length: 5000 }, (_, row) => `text ${row}`)
    const index = indexOf(texts as Json[])
    let [now, pauses] = [0, 0]
    const put = (row: number, text: Json | undefined) => {
      if (texts[row] !== undefined) index.remove(row, texts[row] ?? null)
      texts[row] = text
      if (text !== undefined) index.add(row, text ?? null)
    }
    const pause = async () => {
      pauses++
      put(100 * pauses, 'other')
      put(100 * pauses + 1, undefined)
      put(5000 - pauses, 'another')
      put(texts.length, 'text at the end')
    }
    const filter = { field: 'text', operator: 'icontains', value: 'text' } as const
    const slices = new Slices({ now: () => ++now * 10, pause })
    await Promise.all([runInSlices(index.prepare(filter), slices), runInSlices(index.prepare(filter), slices)])
    assert.ok(pauses > 3 && pauses < 60, `${pauses} pauses`)
    assert.equal(stepsOf(index.prepare(filter)), 0)
    checkAll(index, texts, ['text', 'other'])
  })

  test('finds rows in steps by the amount of text', () => {
    const filter = { field: 'text', operator: 'icontains', value: 'text' } as const
    const stepsAmong = (count: number, length: number) =>
      stepsOf(indexOf(Array.from({ length: count }, () => `text ${'x'.repeat(length)}`)).prepare(filter))
    assert.equal(stepsAmong(100, 10), 0)
    assert.ok(stepsAmong(100, 10_000) > 40)
  })

  test('brings a cached result up to date in steps', () => {
    const texts = Array.from({ length: 8000 }, (_, row) => `text ${row}`)
    const index = indexOf(texts)
    const filter = { field: 'text', operator: 'icontains', value: 'text' } as const
    index.matching(filter)
    for (const [row, text] of texts.entries()) {
      index.remove(row, text)
      texts[row] = row % 2 === 0 ? text : 'other'
      index.add(row, texts[row] ?? null)
    }
    assert.ok(index.atMost(filter) >= 4000)
    assert.ok(stepsOf(index.prepare(filter)) > 20)
    assert.equal(index.matching(filter).size, 4000)
  })

  test('limits the cache, and still answers other queries', () => {
    const texts = Array.from({ length: 1000 }, (_, row) => `text ${row}`)
    const index = indexOf(texts)
    checkAll(
      index,
      texts,
      Array.from({ length: 400 }, (_, part) => String(part)),
    )
    checkAll(index, texts, ['1', '12', '123'])
  })
})
