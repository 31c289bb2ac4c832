import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Papa from 'papaparse'
import { AUTH_MODELS } from '../../src/auth/account-models.ts'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { parseText } from '../../src/config/text-source.ts'
import { buildRegistry } from '../../src/model/build.ts'
import { draftNew } from '../../src/records/drafts.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import { writeRows } from '../../src/transfer/exports.ts'
import { readRows } from '../../src/transfer/row-reader.ts'
import { systemClock } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { EVERYTHING, NASTY, THINGS } from './everything.ts'

const SIZES = { maxRecordBytes: 1_048_576 }

const { definition } = parseText(EVERYTHING['models/thing.yaml'], 'models/thing.yaml', 'yaml')
const { registry, faults } = buildRegistry([definition], AUTH_MODELS)
assert.deepEqual(faults.list, [])
const model = registry.expect('thing')

/** The records as a store holds them. */
const STORED: readonly StoredRecord[] = THINGS.map((data, index) => {
  const { values, issues } = draftNew(SYSTEM, model, undefined, data, { clock: systemClock, random: systemRandom, ...SIZES })
  assert.deepEqual(issues.toMessages(), {})
  return { id: index + 1, ...values, created_at: '2026-01-15T12:00:00.000Z', updated_at: '2026-01-15T12:00:00.000Z' }
})

async function* batches(records: readonly StoredRecord[], size = 3): AsyncGenerator<readonly StoredRecord[]> {
  for (let from = 0; from < records.length; from += size) yield records.slice(from, from + size)
}

async function written(format: 'csv' | 'json' | 'ndjson', records = STORED, bom = false): Promise<string> {
  let text = ''
  for await (const piece of writeRows(format, model.visibleFields, batches(records), { bom })) text += piece
  return text
}

/** The stored values of records, without secrets. */
const shown = (records: readonly StoredRecord[]) => records.map(({ a_secret: _, ...record }) => record)

describe('reading restores every written value', () => {
  for (const format of ['csv', 'json', 'ndjson'] as const) {
    for (const bom of format === 'csv' ? [false, true] : [false]) {
      test(`${format}${bom ? ' with a byte order mark' : ''}, in pieces of a byte`, async () => {
        const bytes = [...Buffer.from(await written(format, STORED, bom))].map((byte) => Uint8Array.of(byte))
        const rows: unknown[] = []
        for await (const { data, problems } of readRows(format, bytes, model, SIZES)) {
          assert.deepEqual(problems, [])
          rows.push(data)
        }
        // An empty list is an empty cell in CSV, which is stored as an empty list.
        const lists = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? []]))
        const expected = shown(STORED)
        const compared = format === 'csv' ? [rows.map((row) => lists(row as object)), expected.map(lists)] : [rows, expected]
        assert.deepEqual(compared[0], compared[1])
      })
    }

    test(`${format} of no records is a file without records`, async () => {
      const text = await written(format, [])
      const rows: unknown[] = []
      for await (const row of readRows(format, [text], model, SIZES)) rows.push(row)
      assert.deepEqual(rows, [])
      if (format === 'csv') assert.match(text, /^id,a_string,.*,created_at,updated_at\r\n$/)
      else assert.equal(text, format === 'json' ? '[]\n' : '\n')
    })
  }
})

describe('an independent reader of CSV', () => {
  const parse = (text: string) => Papa.parse<string[]>(text, { skipEmptyLines: true })

  test('finds every row and cell', async () => {
    const { data, errors } = parse(await written('csv'))
    assert.deepEqual(errors, [])
    const [header = [], ...rows] = data
    assert.deepEqual(header, [...model.visibleFields.map(({ name }) => name)])
    assert.equal(rows.length, STORED.length)
    const column = header.indexOf('a_string')
    const texts = rows.slice(0, NASTY.length).map((row) => row[column])
    // It reads what a spreadsheet would show: formulas start with an apostrophe.
    const guarded = NASTY.map((text) => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text))
    assert.deepEqual(texts, guarded)
  })

  test('finds no formula in any text, and unchanged numbers', async () => {
    const [header = [], ...rows] = parse(await written('csv')).data
    for (const row of rows) {
      for (const [index, cell] of row.entries()) {
        const isNumber = ['an_integer', 'a_number', 'a_decimal', 'a_json'].includes(header[index] ?? '')
        if (!isNumber) assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝＋－＠]/, header[index])
      }
    }
    assert.equal(rows[0]?.[header.indexOf('an_integer')], '-5')
    assert.equal(rows[NASTY.length]?.[header.indexOf('a_number')], '-5')
    assert.equal(rows[NASTY.length]?.[header.indexOf('a_decimal')], '-1.5')
  })
})

test('lines end in CRLF, null is an empty cell, an empty text a pair of quotes, booleans are words', async () => {
  const fields = ['id', 'a_string', 'a_boolean', 'others'].map((name) => model.fields.get(name) ?? assert.fail(name))
  const records = [
    { id: 1, a_string: null, a_boolean: true, others: [2, 3] },
    { id: 2, a_string: '', a_boolean: false, others: [] },
    { id: 3, a_string: 'a\rb', a_boolean: null, others: [1] },
  ]
  let text = ''
  for await (const piece of writeRows('csv', fields, batches(records))) text += piece
  assert.equal(text, 'id,a_string,a_boolean,others\r\n1,,true,2;3\r\n2,"",false,\r\n3,"a\rb",,1\r\n')
})

test('a decimal with an apostrophe, as former versions wrote negative ones, is read', async () => {
  const rows: unknown[] = []
  for await (const { data } of readRows('csv', ["a_decimal\n'-1.5\n-1.5\n+2\n'1.5\n"], model, SIZES)) rows.push(data.a_decimal)
  assert.deepEqual(rows, ['-1.5', '-1.5', '2', "'1.5"])
})
