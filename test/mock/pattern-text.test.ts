import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PatternText } from '../../src/mock/pattern-text.ts'
import { KeyedRandom } from '../../src/mock/random.ts'
import { compilePattern } from '../../src/model/limits.ts'

const random = new KeyedRandom()

function texts(pattern: string, { min = 0, max = 20, count = 200 } = {}): string[] {
  const made = new PatternText(compilePattern(pattern))
  return Array.from({ length: count }, (_, index) => {
    random.start(`${pattern} ${index}`)
    return made.generate(random, min, max) ?? '(nothing)'
  })
}

describe('a text generated from a pattern', () => {
  for (const pattern of [
    '^#[0-9a-f]{6}$',
    '^[A-Za-z0-9_.-]+$',
    '^(\\+49|0)[1-9][0-9]{1,4}/[0-9]{3,8}$',
    '^\\d{5}(-\\d{4})?$',
    '(?i)^(red|green|blue)$',
    '^[^,;]{3,10}$',
    '^\\p{Lu}\\pL*$',
    '^[[:upper:]]{2}\\d+\\z',
    '\\A\\Qa.b\\E(?P<rest>c|d)*$',
    '^[а-я]+$',
    '^.{4}$',
    '^\\S+@\\S+\\.[a-z]{2,}$',
    '[0-9]{2}',
    '^$',
    '^((a|b)c){2,}?(d*e+){1,3}$',
    '^\\x{1F600}+$',
  ]) {
    test(`matches ${pattern}`, () => {
      const compiled = compilePattern(pattern)
      for (const text of texts(pattern)) assert.ok(compiled.test(text), JSON.stringify(text))
    })
  }

  test('has a length within the limits', () => {
    for (const [min, max] of [
      [1, 1],
      [3, 5],
      [12, 12],
      [40, 60],
    ] as const) {
      const lengths = texts('^[a-z]+$', { min, max }).map((text) => text.length)
      assert.ok(Math.max(...lengths) <= max, `${Math.max(...lengths)} is over ${max}`)
      const within = lengths.filter((length) => length >= min).length
      assert.ok(within > 20, `${within} of 200 are at least ${min} long`)
    }
  })

  test('covers every alternative', () => {
    assert.deepEqual([...new Set(texts('^(a|bb|ccc)$'))].sort(), ['a', 'bb', 'ccc'])
    assert.equal(new Set(texts('^[0-9a-f]$')).size, 16)
  })

  test('prefers characters that people type', () => {
    for (const text of texts('^[^x]+$')) assert.match(text, /^[\x20-\x7e]+$/)
  })
})
