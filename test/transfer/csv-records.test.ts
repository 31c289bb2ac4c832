import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Papa from 'papaparse'
import { type CsvRecord, readCsvRecords } from '../../src/transfer/csv-records.ts'
import { mulberry32 } from '../bench/data/random.ts'
import { valuesOf } from '../helpers/values-of.ts'

/** Reads a text in pieces of a length. */
async function read(text: string, size = text.length, maxLength = Number.POSITIVE_INFINITY): Promise<CsvRecord[]> {
  async function* pieces() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  }
  const records: CsvRecord[] = []
  for await (const record of readCsvRecords(pieces(), () => ',', maxLength)) records.push(record)
  return records
}

const row = (line: number, ...cells: CsvRecord['cells']): CsvRecord => ({ cells, line })

const rows: readonly (readonly [what: string, text: string, records: readonly CsvRecord[]])[] = [
  ['an empty cell differs from an empty text', 'a,,""\n', [row(1, 'a', null, '')]],
  ['the last cell may be empty', 'a,\n,\n', [row(1, 'a', null), row(2, null, null)]],
  ['the last row needs no line break', 'a,b\nc,', [row(1, 'a', 'b'), row(2, 'c', null)]],
  ['a pair of quotes alone is a row', '""', [row(1, '')]],
  ['rows end in LF, CRLF and CR', 'a\nb\r\nc\rd', [row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'd')]],
  ['empty lines are counted, and are no rows', '\n\r\n\ra\n\n\nb\n\n', [row(4, 'a'), row(7, 'b')]],
  ['quoted line breaks are counted once', '"a\r\n\r\nb\rc\n",d\ne,f', [row(1, 'a\r\n\r\nb\rc\n', 'd'), row(6, 'e', 'f')]],
  ['doubled quotes are one', '"a""b","""",""""""\n', [row(1, 'a"b', '"', '""')]],
  ['spaces belong to cells', ' a , b\n  \n', [row(1, ' a ', ' b'), row(2, '  ')]],
  ['quotes keep delimiters and apart line breaks', '"a,b"\r\n"c"\r\n', [row(1, 'a,b'), row(2, 'c')]],
  ['a quoted line break between quotes', '"\r""\n"\nb', [row(1, '\r"\n'), row(4, 'b')]],
]

for (const [what, text, records] of rows) {
  test(`${what}, in pieces of any size`, async () => {
    for (let size = 1; size <= text.length; size++) assert.deepEqual(await read(text, size), records, `pieces of ${size}`)
  })
}

const faults: readonly (readonly [what: string, text: string, line: number, fault: RegExp])[] = [
  ['a quote that is not closed', 'a\nb\n"c\nd\n', 3, /^Not valid CSV: a quote is not closed$/],
  ['text behind a closing quote', 'a\nb\n"c"d\n"e"f\n', 3, /^Not valid CSV: "d" follows a closing quote/],
  ['a quote within a cell', 'a\nb\nc"d\n', 3, /^Not valid CSV: a quote is within a cell without quotes/],
]

for (const [what, text, line, fault] of faults) {
  test(`${what} ends the reading; the rows before it are read`, async () => {
    for (let size = 1; size <= text.length; size++) {
      const [a, b, last, ...others] = await read(text, size)
      assert.deepEqual([a, b, others], [row(1, 'a'), row(2, 'b'), []])
      assert.deepEqual([last?.line, last?.cells], [line, []])
      assert.match(last?.fault ?? '', fault)
    }
  })
}

describe('the reading ends before the whole row is read', () => {
  /** Counts the pieces that are read of a row without end. */
  async function piecesRead(start: string, piece: string, maxLength: number): Promise<{ count: number; records: CsvRecord[] }> {
    let count = 0
    async function* pieces() {
      for (yield start; count < 1000; count++) yield piece
    }
    const records: CsvRecord[] = []
    for await (const record of readCsvRecords(pieces(), () => ',', maxLength)) records.push(record)
    return { count, records }
  }

  test('at the first cell beyond a thousand', async () => {
    const { count, records } = await piecesRead('a,b\n', ','.repeat(600), 1e9)
    assert.equal(count, 1)
    assert.deepEqual([records.length, records[1]?.cells.length, records[1]?.line], [2, 1001, 2])
  })

  for (const [what, start, piece] of [
    ['a cell', 'a,b\n', 'x'.repeat(100)],
    ['a quoted cell', 'a,b\n"', `${'x'.repeat(98)}""`],
    ['cells', 'a,b\n', 'xxxxxxxxx,'.repeat(10)],
  ] as const) {
    test(`within ${what}, where the row is too long`, async () => {
      const { count, records } = await piecesRead(start, piece, 1000)
      assert.ok(count < 15, String(count))
      assert.deepEqual(records.at(-1), {
        cells: [],
        line: 2,
        fault: 'The row is longer than 1000 characters (setting max_record_bytes)',
      })
    })
  }
})

test('random tables are read as an independent reader reads them', async () => {
  const random = mulberry32(7)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  for (let round = 0; round < 300; round++) {
    const table = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      Array.from({ length: 3 }, () =>
        Array.from({ length: Math.floor(random() * 6) }, () => pick(['a', '"', ',', '\n', '\r\n', ' ', 'ß', '👍', ';'])).join(''),
      ),
    )
    const text = Papa.unparse(table, { quotes: true })
    const found = await read(text, 1 + Math.floor(random() * 7))
    assert.deepEqual(valuesOf(found, 'cells'), table, JSON.stringify(text))
    for (const { line, cells } of found) {
      const start = `"${cells[0]?.replaceAll('"', '""')}","${cells[1]?.replaceAll('"', '""')}"`
      assert.ok(
        text
          .split(/(?<=\n)/)
          .slice(line - 1)
          .join('')
          .startsWith(start),
        `line ${line} of ${JSON.stringify(text)}`,
      )
    }
  }
})
