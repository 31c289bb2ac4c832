import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Field } from '../../src/model/field.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import { writeRows } from '../../src/transfer/exports.ts'

const FIELDS = ['id', 'note', 'meta'].map((name) => ({ name, type: { list: false } })) as unknown as Field[]

async function written(format: 'json' | 'ndjson', records: readonly StoredRecord[], fields = FIELDS): Promise<string> {
  const batches = async function* () {
    yield records.slice(0, 2)
    yield records.slice(2)
  }
  let text = ''
  for await (const piece of writeRows(format, fields, batches())) text += piece
  return text
}

/** Records that contain text like the boundary of two records. */
const NESTED = [{ id: 7 }, { id: 8 }, { id: 9 }]
const RECORDS: readonly StoredRecord[] = [
  { id: 1, note: 'plain', meta: null },
  { id: 2, note: '},{"id":3', meta: null },
  { id: 3, note: null, meta: NESTED },
  { id: 4, note: 'ü\n', meta: { a: NESTED } },
  { id: 5, note: '', meta: [] },
]

describe('JSON of many records', () => {
  for (const records of [RECORDS, RECORDS.slice(0, 2), RECORDS.slice(4), []]) {
    const ids = records.map(({ id }) => id).join(', ')
    test(`has one record per line, each as it would be alone: ${ids}`, async () => {
      const lines = records.map((record) => JSON.stringify(record))
      assert.equal(await written('json', records), `[${lines.join(',\n')}]\n`)
      assert.equal(await written('ndjson', records), `${lines.join('\n')}\n`)
    })
  }

  test('contains the requested fields, including those that a record lacks', async () => {
    const fields = [...FIELDS.slice(0, 2), { name: 'tags', type: { list: true } } as unknown as Field]
    const text = await written('ndjson', RECORDS.slice(0, 3), fields)
    assert.equal(
      text,
      '{"id":1,"note":"plain","tags":[]}\n{"id":2,"note":"},{\\"id\\":3","tags":[]}\n{"id":3,"note":null,"tags":[]}\n',
    )
  })
})
