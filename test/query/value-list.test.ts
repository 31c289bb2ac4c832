import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { splitValues } from '../../src/query/filters.ts'

describe('splitting', () => {
  const rows: readonly (readonly [string, string[] | undefined])[] = [
    ['', ['']],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [',', ['', '']],
    ['a,', ['a', '']],
    [',a', ['', 'a']],
    ['a,,b', ['a', '', 'b']],
    [' a , b ', [' a ', ' b ']],
    ['"a,b"', ['a,b']],
    ['"a","b"', ['a', 'b']],
    ['"",a', ['', 'a']],
    ['""', ['']],
    ['""""', ['"']],
    ['"a""b"', ['a"b']],
    ['"a\nb",c', ['a\nb', 'c']],
    ["'a,b'", ["'a", "b'"]],
    ['"', undefined],
    ['"a', undefined],
    ['a,"b', undefined],
    ['"a"b', undefined],
    ['a"b', undefined],
    ['a"b"', undefined],
    ['"a" ,b', undefined],
    ['"""', undefined],
  ]
  for (const [line, values] of rows) test(JSON.stringify(line), () => assert.deepEqual(splitValues(line), values))
})

describe('joined values are split again', () => {
  const parts = ['', 'a', ',', '"', '""', ', ', 'a,b', '"a"', '\n', '\r\n', 'é', '👍', ' ']
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`
  const written = (value: string): string => (/[",\r\n]/.test(value) ? quoted(value) : value)
  test('every pair, quoted always or only where it must be', () => {
    for (const first of parts) {
      for (const second of parts) {
        const values = [first, second, first + second]
        assert.deepEqual(splitValues(values.map(quoted).join(',')), values)
        assert.deepEqual(splitValues(values.map(written).join(',')), values)
      }
    }
  })

  test('many values, and one that is long', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `v"${index}`)
    assert.deepEqual(splitValues(many.map(quoted).join(',')), many)
    const long = `${'"'.repeat(5000)},`
    assert.deepEqual(splitValues(quoted(long)), [long])
  })
})
