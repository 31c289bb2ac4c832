import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GenerationalCache } from '../../src/util/generational-cache.ts'

describe('Recent', () => {
  test('remembers what was set last', () => {
    const recent = new GenerationalCache<string, number>(10)
    recent.set('a', 1)
    recent.set('a', 2)
    assert.equal(recent.get('a'), 2)
    assert.equal(recent.get('b'), undefined)
    recent.delete('a')
    assert.equal(recent.get('a'), undefined)
  })

  test('never holds more than its capacity', () => {
    const recent = new GenerationalCache<number, number>(10)
    for (let key = 0; key < 1000; key++) {
      recent.set(key, key)
      recent.get(key - 6)
      assert.ok(recent.size <= 10, `${recent.size} entries`)
    }
  })

  test('keeps what is used and forgets what is not', () => {
    const recent = new GenerationalCache<string, string>(10)
    recent.set('used', 'x')
    recent.set('unused', 'x')
    for (let key = 0; key < 100; key++) {
      recent.set(String(key), 'x')
      assert.equal(recent.get('used'), 'x')
    }
    assert.equal(recent.get('unused'), undefined)
  })

  test('goes by weight, where entries differ in it', () => {
    const recent = new GenerationalCache<number, string>(100, (_, text) => text.length)
    const held = () => [...Array(1000).keys()].reduce((sum, key) => sum + (recent.get(key)?.length ?? 0), 0)
    for (let key = 0; key < 1000; key++) recent.set(key, 'x'.repeat(1 + (key % 20)))
    assert.ok(held() <= 100)
    assert.equal(recent.get(999)?.length, 20)
  })

  test('does not take what weighs more than half of the capacity, nor keep what it was to replace', () => {
    const recent = new GenerationalCache<string, string>(100, (_, text) => text.length)
    recent.set('small', 'x')
    recent.set('a', 'x'.repeat(50))
    recent.set('a', 'x'.repeat(51))
    assert.equal(recent.get('a'), undefined)
    recent.set('small', 'y')
    assert.equal(recent.get('small'), 'y')
  })

  test('an entry that was forgotten in the young generation does not come back from the old', () => {
    const recent = new GenerationalCache<string, number>(4)
    recent.set('a', 1)
    recent.set('b', 1)
    recent.set('c', 1)
    assert.equal(recent.get('a'), 1)
    recent.set('a', 2)
    recent.delete('a')
    assert.equal(recent.get('a'), undefined)
  })
})
