import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUrl, withDatabaseHost } from '../../src/util/urls.ts'

describe('parsing a URL', () => {
  test('gives its parts, or undefined', () => {
    assert.equal(parseUrl('https://example.com/a')?.pathname, '/a')
    assert.equal(parseUrl('../b', 'https://example.com/a/')?.href, 'https://example.com/b')
    assert.equal(parseUrl('../b'), undefined)
  })

  test('accepts letters such as ü, however many URLs were parsed before', () => {
    for (let count = 0; count < 50_000; count++) {
      assert.equal(parseUrl('https://bücher.example')?.host, 'xn--bcher-kva.example', `no. ${count}`)
    }
  })
})

test('the URL of a database with a user gets a host', () => {
  assert.equal(withDatabaseHost('postgres://anna@/shop'), 'postgres://anna@localhost/shop')
  assert.equal(withDatabaseHost('postgres://anna@db/shop'), 'postgres://anna@db/shop')
  assert.equal(withDatabaseHost('postgres:///shop'), 'postgres:///shop')
})
