import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compilePattern } from '../../src/model/limits.ts'

describe('supported patterns', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['^[a-z0-9-]+$', 'a-1', true],
    ['^[a-z0-9-]+$', 'a-1\n', false],
    ['^a{2,3}$', 'aaaa', false],
    ['(?i)^abc$', 'ABC', true],
    ['^\\p{Lu}', 'É', true],
    ['^\\d+$', '٣', false],
    ['^(?<year>\\d{4})$', '2024', true],
    ['^(?P<year>\\d{4})$', '2024', true],
    ['^(?:a|b)+$', 'abab', true],
    ['b', 'abc', true],
  ]
  for (const [pattern, text, expected] of rows) {
    test(`${pattern} on ${JSON.stringify(text)}: ${expected}`, () => assert.equal(compilePattern(pattern).test(text), expected))
  }

  test('an exponential pattern is matched in linear time', () =>
    assert.equal(compilePattern('^(a+)+$').test(`${'a'.repeat(5000)}b`), false))
})

describe('rejected patterns and their messages', () => {
  const unsafe = 'lookaround and backreferences are not supported, because they can take exponential time'
  const syntax = 'it must be a regular expression in RE2 syntax'
  const rows: readonly (readonly [string, string, string])[] = [
    ['lookahead', '(?=a)b', unsafe],
    ['negative lookahead', '^(?!admin).*$', unsafe],
    ['lookbehind', '(?<=a)b', unsafe],
    ['negative lookbehind', '(?<!a)b', unsafe],
    ['a backreference', '(a)\\1', unsafe],
    ['an open bracket', '[a', syntax],
    ['an open group', '(a', syntax],
    ['an open group that has a name', '(?<year>[0-9]+', syntax],
    ['nothing to repeat', '*a', syntax],
    ['too many repetitions', 'a{1001}', syntax],
    ['an atomic group', '(?>a)', syntax],
    ['a possessive repetition', 'a++', syntax],
    ['a backslash at the end', 'a\\', syntax],
  ]
  for (const [name, pattern, reason] of rows) {
    test(`${name}: ${pattern}`, () =>
      assert.throws(
        () => compilePattern(pattern),
        (error) => error instanceof Error && error.message.endsWith(`; ${reason}`) && !error.message.includes('\n'),
      ))
  }
})
