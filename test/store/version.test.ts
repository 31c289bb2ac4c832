import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StoredRecord, versionOf } from '../../src/store/store.ts'

const record = (values: Omit<StoredRecord, 'id'> = {}): StoredRecord => Object.freeze({ id: 1, ...values })

describe('versionOf', () => {
  test('is the same for the same content', () => {
    const values = { name: 'a', list: [1, { x: null }], price: 0.1 }
    assert.equal(versionOf(record(values)), versionOf(record(structuredClone(values))))
    assert.equal(versionOf(record(values)), versionOf(JSON.parse(JSON.stringify(record(values))) as StoredRecord))
  })

  test('is the same each time, however many records had theirs since', () => {
    const same = record({ name: 'a' })
    const version = versionOf(same)
    for (let count = 0; count < 2500; count++) {
      versionOf(record({ name: String(count) }))
      assert.equal(versionOf(same), version)
    }
  })

  test('is another for other content', () => {
    const different: StoredRecord[] = [
      record(),
      record({ name: 'a' }),
      record({ name: 'b' }),
      record({ name: '' }),
      record({ name: null }),
      record({ name: '1' }),
      record({ name: 1 }),
      record({ name: true }),
      record({ name: 'true' }),
      record({ name: [] }),
      record({ name: {} }),
      record({ name: ['a'] }),
      record({ name: ['a', 'b'] }),
      record({ name: ['b', 'a'] }),
      record({ other: 'a' }),
      record({ name: 'a', other: 'a' }),
      { id: 2, name: 'a' },
    ]
    assert.equal(new Set(different.map(versionOf)).size, different.length)
  })

  test('is fit for a header', () => assert.match(versionOf(record({ name: '"\r\nü' })), /^[A-Za-z0-9_-]{16}$/))

  // It stands in clients’ caches and in what they send back: a change of the form is a change for them.
  test('has not changed between releases', () => assert.equal(versionOf({ id: 1, name: 'a' }), 'fw_BBQpCoMsoMJ-Z'))
})
