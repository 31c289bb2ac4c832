import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RelationField } from '../../src/model/field.ts'
import type { Model } from '../../src/model/model.ts'
import type { ParsedListQuery } from '../../src/query/parse.ts'
import { PageWriter } from '../../src/reads/reads.ts'
import { RecordJson } from '../../src/reads/record-json.ts'

const record = (id: number, name = 'a'): RecordJson =>
  new RecordJson({ text: JSON.stringify({ id, name }), asStored: true, record: { id, name }, projection: [], nested: [] })

const queryOf = (page: number): ParsedListQuery => ({
  page: { page, pageSize: 2 },
  plan: { filters: [], sort: [], offset: 0, limit: 2 },
  projection: [],
})

/** A page writer, and what it says of records: their ids and the total. */
function makePages() {
  const pages = new PageWriter()
  const write = (query: ParsedListQuery, records: readonly RecordJson[], total: number) => {
    const { data, total: told } = JSON.parse(String(pages.write(query, { records: [], total }, records))) as {
      data: { name: string }[]
      total: number
    }
    return [data.map(({ name }) => name).join(''), told]
  }
  return { pages, write }
}

describe('a page', () => {
  test('is the envelope with the records in it', () => {
    assert.equal(
      String(new PageWriter().write(queryOf(1), { records: [], total: 3 }, [record(1), record(2, '"')])),
      '{"data":[{"id":1,"name":"a"},{"id":2,"name":"\\""}],"total":3,"page":1,"page_size":2,"total_pages":2,"has_next":true,"has_prev":false}',
    )
  })

  test('is serialised again when any part of it changes', () => {
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
    const numbers = [1, 2, 1].map(
      (page) => JSON.parse(String(pages.write(queryOf(page), { records: [], total: 9 }, records))).page,
    )
    assert.deepEqual(numbers, [1, 2, 1])
  })

  test('is cached by the result, unless it nests other records', () => {
    const { pages } = makePages()
    const query = queryOf(1)
    const found = { records: [], total: 1 }
    assert.equal(pages.known(query.plan, found), undefined, 'before it was written')
    const body = pages.write(query, found, [record(1)])
    assert.equal(pages.known(query.plan, found), body)
    assert.equal(pages.known(query.plan, { ...found }), undefined, 'found anew')
    assert.equal(pages.write(query, { ...found }, [record(1, 'b')]) === body, false, 'with another record')
    const target = { name: 'Other', key: 'other' } as unknown as Model
    const field = { name: 'other_id' } as unknown as RelationField
    const nesting = { ...query, projection: [{ kind: 'related', name: 'other', field, target, fields: ['id'] }] } as const
    pages.write(nesting, found, [record(1)])
    assert.equal(pages.known(nesting.plan, found), undefined, 'what is nested may have changed')
  })
})
