import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareValues } from '../../../../src/query/match.ts'
import { bitmapFor } from '../../../../src/store/embedded/tables/bitmap.ts'
import { Buckets } from '../../../../src/store/embedded/tables/buckets.ts'
import { RowFilter } from '../../../../src/store/embedded/tables/row-filter.ts'
import { RowSet } from '../../../../src/store/embedded/tables/row-set.ts'
import { after, before, type Cut, ValueIndex } from '../../../../src/store/embedded/tables/value-index.ts'
import type { Json } from '../../../../src/util/json.ts'

const ROWS = 9000

/** Values as fields have them: spread out, in heaps, growing, or of several types since a type was changed. */
const SHAPES: Readonly<Record<string, (row: number) => Json>> = {
  spread: (row) => ((row * 7919) % 10_007) / 4,
  heaps: (row) => (row % 3 === 0 ? 5 : row % 3 === 1 ? (row * 31) % 40 : null),
  growing: (row) => `2026-${String(row).padStart(6, '0')}`,
  mixed: (row) => [row % 50, `text ${row % 90}`, row % 2 === 0, null, ['a']][row % 5] ?? null,
}

const isAfter = (value: Json, cut: Cut): boolean => {
  const sign = compareValues(value, cut.value)
  return sign > 0 || (sign === 0 && cut.side === 'before')
}

function filled(values: ReadonlyMap<number, Json>): ValueIndex {
  const index = new ValueIndex(() => ROWS)
  for (const [row, value] of values) index.add(row, value)
  return index
}

/** The values in order with their rows, worked out without an index. */
function entriesOf(values: ReadonlyMap<number, Json>, from: Json | undefined): [Json, RowSet][] {
  const entries: [Json, RowSet][] = []
  for (const [row, value] of [...values].sort(([a, one], [b, other]) => compareValues(one, other) || a - b)) {
    const last = entries.at(-1)
    if (from !== undefined && compareValues(value, from) < 0) continue
    if (last !== undefined && compareValues(last[0], value) === 0) last[1].add(row)
    else entries.push([value, RowSet.of(row)])
  }
  return entries
}

function firstOf(rows: RowSet): number {
  const found: number[] = []
  rows.each((row) => found.push(row))
  return found[0] ?? -1
}

/** Compares the rows between cuts at many values with those that a plain comparison finds. */
function checkRanges(index: ValueIndex, values: ReadonlyMap<number, Json>): void {
  const some = [...values.values()].filter((_, place) => place % 601 === 0)
  const cuts = [...some, Number.NEGATIVE_INFINITY, '', 'zzz', null].flatMap((value) => [before(value), after(value)])
  for (const [place, from] of cuts.entries()) {
    const to = cuts[(place * 5 + 3) % cuts.length] ?? from
    if (compareValues(from.value, to.value) > 0) continue
    const expected = [...values].filter(([, value]) => isAfter(value, from) && !isAfter(value, to)).map(([row]) => row)
    const bitmap = bitmapFor(ROWS)
    for (const row of values.keys()) if (row % 2 === 0) bitmap.add(row)
    const rowFilter = new RowFilter()
    rowFilter.require(bitmap)
    index.describe(rowFilter, from, to)
    const target = bitmapFor(ROWS)
    assert.equal(rowFilter.computeInto(target), target.size())
    const context = JSON.stringify({ from, to })
    assert.deepEqual(
      target.array(),
      expected.filter((row) => row % 2 === 0).sort((a, b) => a - b),
      context,
    )
    assert.ok(index.atMost(from, to) >= expected.length, `too few estimated: ${context}`)
  }
}

describe('a value index', () => {
  for (const [name, valueAt] of Object.entries(SHAPES)) {
    test(`narrows to ranges of ${name} values, also after writes`, () => {
      const values = new Map(Array.from({ length: ROWS / 2 }, (_, row) => [row, valueAt(row)]))
      const index = filled(values)
      checkRanges(index, values)
      for (let row = ROWS / 2; row < ROWS; row++) {
        values.set(row, valueAt(row))
        index.add(row, valueAt(row))
      }
      checkRanges(index, values)
      for (let row = 0; row < ROWS; row += 3) {
        index.remove(row, valueAt(row))
        values.delete(row)
      }
      checkRanges(index, values)
    })

    test(`returns ${name} values in order`, () => {
      const values = new Map(Array.from({ length: 500 }, (_, row) => [row, valueAt(row)]))
      const index = filled(values)
      for (const [order, sign] of [
        ['asc', 1],
        ['desc', -1],
      ] as const) {
        for (const from of [undefined, valueAt(7), 'text 3', 3, null]) {
          const expected = entriesOf(values, undefined)
            .map(([value]) => value)
            .filter((value) => from === undefined || compareValues(value, from) * sign >= 0)
            .sort((a, b) => sign * compareValues(a, b))
          const found: Json[] = []
          index.walk(order, from, (each) => {
            for (const rows of each) found.push(values.get(typeof rows === 'number' ? rows : firstOf(rows)) ?? null)
            return true
          })
          assert.deepEqual(found, expected, `${order} from ${JSON.stringify(from)}`)
        }
      }
    })

    test(`stops a scan of ${name} values on request`, () => {
      const index = filled(new Map(Array.from({ length: 500 }, (_, row) => [row, valueAt(row)])))
      let visits = 0
      index.walk('asc', undefined, () => ++visits < 1)
      assert.equal(visits, 1)
    })
  }
})

describe('buckets', () => {
  for (const [name, valueAt] of Object.entries(SHAPES)) {
    test(`buckets stay correct and balanced while ${name} values come and go`, () => {
      const values = new Map<number, Json>()
      const index = new ValueIndex(() => ROWS)
      const put = (row: number) => {
        values.set(row, valueAt(row))
        index.add(row, valueAt(row))
      }
      for (let row = 0; row < 3000; row++) put(row)
      const buckets = new Buckets((from) => entriesOf(values, from), 3000, ROWS)
      buckets.divide(Number.POSITIVE_INFINITY)
      for (let row = 3000; row < ROWS; row++) {
        put(row)
        buckets.add(row, valueAt(row), true)
        if (row % 4 !== 0) continue
        index.remove(row - 2000, valueAt(row - 2000))
        values.delete(row - 2000)
        buckets.remove(row - 2000, valueAt(row - 2000), true)
      }
      const last = buckets.bucketOf(null)
      assert.equal(buckets.sizeOf(0, last), values.size)
      for (let bucket = 0; bucket <= last; bucket++) {
        const start = buckets.startOf(bucket)
        const members = [...values.values()].filter((value) => buckets.bucketOf(value) === bucket)
        assert.equal(buckets.sizeOf(bucket, bucket), members.length, `size of bucket ${bucket}`)
        const kinds = new Set(members.map((value) => JSON.stringify(value)))
        assert.ok(members.length <= 2 * 128 || kinds.size === 1, `bucket ${bucket} has ${members.length} rows`)
        if (start === undefined) continue
        const below = [...values].filter(([, value]) => compareValues(value, start) < 0).map(([row]) => row)
        assert.deepEqual(
          buckets.before(bucket)?.array(),
          below.sort((a, b) => a - b),
          `rows before bucket ${bucket}`,
        )
      }
    })
  }
})
