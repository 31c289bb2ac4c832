import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../src/util/json.ts'
import { FieldIssues } from '../../src/validate/issues.ts'
import { checkRecordSize } from '../../src/validate/record-size.ts'
import { BLOG, registryOf } from '../model/models.ts'

const model = registryOf(...BLOG).expect('post')

const isTooLarge = (values: Readonly<Record<string, Json>>, maxBytes: number): boolean => {
  const issues = new FieldIssues()
  checkRecordSize({ model, values, set: Object.keys(values) }, maxBytes, issues)
  return issues.any
}

test('the limit is exact for every kind of value, whatever the cheap bound says', () => {
  const values: Json[] = [
    ...[null, true, false, 0, -1.5e-300, Number.MAX_SAFE_INTEGER, '', 'x', 'ü', '€', '😀', '"\\\n\u0000\u007f'],
    ...['a'.repeat(500), '\u0001'.repeat(500), '😀'.repeat(500), [], [1, 2, 3], { a: { b: ['ü', null] } }, ['\u0001'.repeat(99)]],
  ]
  for (const value of values) {
    for (const name of ['title', 'ü', '"']) {
      const record = { [name]: value, other: null }
      const bytes = Buffer.byteLength(JSON.stringify(record))
      assert.equal(isTooLarge(record, bytes), false, JSON.stringify(record))
      assert.equal(isTooLarge(record, bytes - 1), true, JSON.stringify(record))
    }
  }
})
