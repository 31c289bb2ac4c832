import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListQuery } from '../../src/query/parse.ts'
import { PageWriter } from '../../src/service/pages.ts'
import { RecordJson } from '../../src/service/record-json.ts'

const record = (id: number, name = 'a'): RecordJson =>
  new RecordJson({ text: JSON.stringify({ id, name }), asStored: true, record: { id, name }, projection: [], nested: [] })

const queryOf = (page: number): ListQuery => ({
  page: { page, pageSize: 2 },
  plan: { filters: [], sort: [], offset: 0, limit: 2 },
  projection: [],
})

/** A page writer, and what it says of records: their ids and the total. */
function makePages() {
  const pages = new PageWriter()
  const write = (query: ListQuery, records: readonly RecordJson[], total: number) => {
    const { data, total: told } = JSON.parse(pages.write(query, records, total)) as { data: { name: string }[]; total: number }
    return [data.map(({ name }) => name).join(''), told]
  }
  return { pages, write }
}

describe('a page', () => {
  test('is the envelope with the records in it', () => {
    assert.equal(
      new PageWriter().write(queryOf(1), [record(1), record(2, '"')], 3),
      '{"data":[{"id":1,"name":"a"},{"id":2,"name":"\\""}],"total":3,"page":1,"page_size":2,"total_pages":2,"has_next":true,"has_prev":false}',
    )
  })

  test('is written anew when anything in it is another', () => {
    const { write } = makePages()
    const query = queryOf(1)
    const [a, b] = [record(1), record(2, 'b')]
    assert.deepEqual(write(query, [a, b], 2), ['ab', 2])
    assert.deepEqual(write(query, [a, b], 3), ['ab', 3], 'the total')
    assert.deepEqual(write(query, [a, record(2, 'c')], 3), ['ac', 3], 'a record')
    assert.deepEqual(write(query, [b, a], 3), ['ba', 3], 'the order')
    assert.deepEqual(write(query, [b], 3), ['b', 3], 'one less')
    assert.deepEqual(write(query, [b, a], 3), ['ba', 3], 'one more')
    assert.deepEqual(write(query, [], 0), ['', 0])
  })

  test('of one query is not that of another', () => {
    const { pages } = makePages()
    const records = [record(1), record(2)]
    const numbers = [1, 2, 1].map((page) => JSON.parse(pages.write(queryOf(page), records, 9)).page)
    assert.deepEqual(numbers, [1, 2, 1])
  })
})
