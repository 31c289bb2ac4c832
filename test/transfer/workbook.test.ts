import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import readWorkbook from 'read-excel-file/node'
import { AUTH_MODELS } from '../../src/auth/account-models.ts'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { parseText } from '../../src/config/text-source.ts'
import { buildRegistry } from '../../src/model/build.ts'
import { draftNew } from '../../src/records/drafts.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import { cellText, storedValue } from '../../src/transfer/cells.ts'
import { checkLengths, checkRows, mayBeLong, writeWorkbook } from '../../src/transfer/workbook.ts'
import { systemClock } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { EVERYTHING, NASTY, THINGS } from './everything.ts'

const { definition } = parseText(EVERYTHING['models/thing.yaml'], 'models/thing.yaml', 'yaml')
const model = buildRegistry([definition], AUTH_MODELS).registry.expect('thing')
const fields = model.visibleFields
const titles = fields.map(({ name }) => name)

const STORED: readonly StoredRecord[] = THINGS.map((data, index) => {
  const { values } = draftNew(SYSTEM, model, undefined, data, {
    ...{ clock: systemClock, random: systemRandom, maxRecordBytes: 1_048_576 },
  })
  return { id: index + 1, ...values, created_at: '2026-01-15T12:00:00.000Z', updated_at: '2026-01-15T12:00:00.000Z' }
})

async function* batches(records: readonly StoredRecord[], size = 7): AsyncGenerator<readonly StoredRecord[]> {
  for (let from = 0; from < records.length; from += size) yield records.slice(from, from + size)
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const written = (records: readonly StoredRecord[], name = 'Things') =>
  bytesOf(writeWorkbook({ name, titles, fields }, batches(records)))

describe('an independent reader of workbooks', () => {
  test('finds every text, those that look like formulas too, and none of them changed', async () => {
    const [{ sheet, data: rows } = assert.fail()] = await readWorkbook(await written(STORED), { trim: false })
    assert.equal(sheet, 'Things')
    assert.deepEqual(rows[0], titles)
    assert.equal(rows.length, STORED.length + 1)
    const column = titles.indexOf('a_string')
    for (const [index, text] of NASTY.entries()) {
      // The reader takes an empty text for an empty cell.
      const shown = text === '' ? null : text
      assert.equal(rows[index + 1]?.[column], shown, JSON.stringify(text))
    }
  })

  test('finds numbers, dates, times and booleans as such', async () => {
    const [{ data: rows } = assert.fail()] = await readWorkbook(await written(STORED))
    const at = (place: number, name: string) => rows[NASTY.length + place]?.[titles.indexOf(name)]
    assert.equal(at(1, 'id'), NASTY.length + 1)
    assert.equal(at(1, 'a_number'), -5)
    assert.equal(at(1, 'a_decimal'), -1.5)
    assert.equal(at(1, 'a_boolean'), false)
    assert.deepEqual(at(1, 'a_date'), new Date('2024-02-29T00:00:00Z'))
    // The reader cuts off what a day as a number with a fraction lacks of a millisecond.
    assert.ok(Math.abs(Number(at(1, 'a_datetime')) - Date.parse('2024-05-01T08:30:00Z')) <= 1)
    assert.equal(at(1, 'a_choice'), '=two')
    assert.equal(at(1, 'others'), '3;1;2')
    assert.equal(at(1, 'an_integer'), null)
    assert.equal(at(2, 'a_boolean'), true)
    assert.equal(at(4, 'a_number'), 5e-324)
  })

  test('finds what a spreadsheet would change as text', async () => {
    const [{ data: rows } = assert.fail()] = await readWorkbook(await written(STORED))
    const at = (place: number, name: string) => rows[NASTY.length + place]?.[titles.indexOf(name)]
    assert.equal(at(3, 'a_decimal'), '-98765432109876543210.0123456789')
    assert.equal(at(4, 'an_integer'), '9007199254740991')
    assert.equal(at(6, 'a_datetime'), '0001-01-01T00:00:00.000Z')
  })

  test('finds the head alone in a file of no records', async () => {
    const [{ data: rows } = assert.fail()] = await readWorkbook(await written([]))
    assert.deepEqual(rows, [titles])
  })

  for (const [name, sheetName] of [
    ['History', 'History_'],
    ["'Orders [2026]: open/paid?'", 'Orders  2026   open paid'],
    ['x'.repeat(40), 'x'.repeat(31)],
    ['Bücher & <Hefte>', 'Bücher & <Hefte>'],
  ] as const) {
    test(`finds the sheet ${sheetName} for the model ${name}`, async () => {
      assert.equal((await readWorkbook(await written([], name)))[0]?.sheet, sheetName)
    })
  }
})

describe('the limits of a workbook', () => {
  const text = model.fields.get('a_text') ?? assert.fail()
  const record = (length: number): StoredRecord => ({ id: 7, a_text: 'x'.repeat(length) })
  const long = /'a_text' of the record with ID 7 has 32,768/

  test('a text of 32,767 characters is written, a longer one refused, and never cut', async () => {
    await checkLengths([text], batches([record(32_767)]))
    const sheet = { name: 'Long', titles: ['Text'], fields: [text] }
    const [{ data: rows } = assert.fail()] = await readWorkbook(await bytesOf(writeWorkbook(sheet, batches([record(32_767)]))))
    assert.equal(String(rows[1]?.[0]).length, 32_767)
    await assert.rejects(checkLengths([text], batches([record(32_768)])), ({ details }) => long.test(JSON.stringify(details)))
    await assert.rejects(bytesOf(writeWorkbook(sheet, batches([record(32_768)]))), long)
  })

  test('1,048,575 records are written, more are refused', () => {
    checkRows(1_048_575)
    assert.throws(
      () => checkRows(1_048_576),
      ({ details }) => /at most 1,048,575 records, and 1,048,576 match/.test(details.format.join()),
    )
  })

  test('only fields whose values may be too long are read before the file begins', () => {
    const short = fields.filter((field) => !mayBeLong(field)).map(({ name }) => name)
    assert.deepEqual(short.slice(0, 4), ['id', 'an_integer', 'a_number', 'a_decimal'])
    for (const name of short) {
      const field = model.fields.get(name) ?? assert.fail()
      for (const each of STORED) assert.ok((cellText(field, storedValue(each, field)) ?? '').length < 40)
    }
  })
})

test('memory stays flat: a reader that waits gets no more than is in the pipe', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<readonly StoredRecord[]> {
    for (;;) {
      read += 500
      yield Array.from({ length: 500 }, (_, index) => ({ id: read + index, a_text: `Text ${Math.sin(read + index)}` }))
    }
  }
  const pieces = writeWorkbook({ name: 'Endless', titles, fields }, endless())[Symbol.asyncIterator]()
  for (let piece = 0; piece < 20; piece++) await pieces.next()
  await new Promise((resolve) => setImmediate(resolve))
  const before = read
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(read - before <= 2000, `${read - before} records were read ahead`)
  await pieces.return(undefined)
})
