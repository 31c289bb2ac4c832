import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LimitsDefinition } from '../../src/model/definition.ts'
import { checkLimits, compileLimits } from '../../src/model/limits.ts'

describe('messages of every limit', () => {
  const rows: readonly {
    limits: LimitsDefinition
    fine: readonly unknown[]
    wrong: readonly unknown[]
    problems: readonly string[]
  }[] = [
    { limits: { min_length: 3 }, fine: ['abc', 'abcd'], wrong: ['ab', ''], problems: ['must be at least 3 characters long'] },
    { limits: { max_length: 3 }, fine: ['abc', ''], wrong: ['abcd'], problems: ['must be at most 3 characters long'] },
    { limits: { max_length: 0 }, fine: [''], wrong: ['a'], problems: ['must be at most 0 characters long'] },
    { limits: { gt: 5 }, fine: [5.1, 6], wrong: [5, 4, -1], problems: ['must be greater than 5'] },
    { limits: { gte: 5 }, fine: [5, 6], wrong: [4.9], problems: ['must be greater than or equal to 5'] },
    { limits: { lt: 5 }, fine: [4.9, -6], wrong: [5, 6], problems: ['must be less than 5'] },
    { limits: { lte: 5 }, fine: [5, 4], wrong: [5.1], problems: ['must be less than or equal to 5'] },
    { limits: { gt: 0 }, fine: [1], wrong: [0, -1], problems: ['must be greater than 0'] },
    { limits: { lte: -1.5 }, fine: [-1.5], wrong: [0], problems: ['must be less than or equal to -1.5'] },
    { limits: { pattern: '^[a-z]+$' }, fine: ['abc'], wrong: ['ABC', '', 'abc\n', 'a b'], problems: ['format is invalid'] },
    { limits: { pattern: '[0-9]' }, fine: ['a1b'], wrong: ['ab'], problems: ['format is invalid'] },
    { limits: { pattern: '^.$' }, fine: ['a', '👍'], wrong: ['ab'], problems: ['format is invalid'] },
    {
      limits: { choices: ['a', 'b'] },
      fine: ['a', ['a'], ['b', 'a'], []],
      wrong: ['c', '', 'A', ['a', 'c']],
      problems: ['must be one of: a, b'],
    },
    { limits: { choices: [1, 2.5] }, fine: [1, 2.5], wrong: [2, 0], problems: ['must be one of: 1, 2.5'] },
    {
      limits: { min_length: 5, pattern: '^[0-9]+$', choices: ['12345'] },
      fine: ['12345'],
      wrong: ['abc'],
      problems: ['must be at least 5 characters long', 'format is invalid', 'must be one of: 12345'],
    },
    { limits: { gt: 3, lt: 1 }, fine: [], wrong: [2], problems: ['must be greater than 3', 'must be less than 1'] },
    { limits: {}, fine: ['', 'x', 0, -1, true, null, [], {}], wrong: [], problems: [] },
    { limits: { min_length: 3, gt: 3, choices: ['a'] }, fine: [null, true, { a: 1 }], wrong: [], problems: [] },
  ]
  for (const { limits, fine, wrong, problems } of rows) {
    const compiled = compileLimits(limits)
    for (const value of fine) {
      test(`${JSON.stringify(limits)} accepts ${JSON.stringify(value)}`, () => assert.deepEqual(checkLimits(value, compiled), []))
    }
    for (const value of wrong) {
      test(`${JSON.stringify(limits)} rejects ${JSON.stringify(value)}`, () =>
        assert.deepEqual(checkLimits(value, compiled), problems))
    }
  }
})

describe('a length is a number of code points', () => {
  const rows: readonly (readonly [string, string, number])[] = [
    ['an emoji', '👍', 1],
    ['a family of emojis', '👨‍👩‍👧', 5],
    ['a letter with a combining accent', 'e\u0301', 2],
    ['a precomposed letter', 'é', 1],
    ['Han', '漢字', 2],
    ['a lone surrogate', '\ud83d', 1],
  ]
  for (const [name, text, length] of rows) {
    test(`${name} has ${length}`, () => {
      assert.deepEqual(checkLimits(text, compileLimits({ min_length: length, max_length: length })), [])
      assert.deepEqual(checkLimits(text, compileLimits({ min_length: length + 1 })), [
        `must be at least ${length + 1} characters long`,
      ])
      assert.deepEqual(checkLimits(text, compileLimits({ max_length: length - 1 })), [
        `must be at most ${length - 1} characters long`,
      ])
    })
  }
})

test('absent limits are undefined', () => assert.deepEqual(Object.keys(compileLimits({ min_length: 3 })), ['min_length']))
