import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { didYouMean, meantOrKnown, nearest, slip } from '../../src/util/suggest.ts'

const fields = ['title', 'body', 'status', 'username', 'created_at', 'author_id', 'max_length']

describe('the nearest known name', () => {
  const rows: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['title', fields, 'title'],
    ['titel', fields, 'title'],
    ['tilte', fields, 'title'],
    ['titl', fields, 'title'],
    ['titles', fields, 'title'],
    ['Title', fields, 'title'],
    ['USERNAME', fields, 'username'],
    ['usernme', fields, 'username'],
    ['user_name', fields, 'username'],
    ['createdat', fields, 'created_at'],
    ['maxlength', fields, 'max_length'],
    ['maxLength', fields, 'max_length'],
    ['boddy', fields, 'body'],
    ['stats', fields, 'status'],
    ['weather', fields, undefined],
    ['x', fields, undefined],
    ['', fields, undefined],
    ['anything', [], undefined],
    ['post', ['Post', 'User'], 'Post'],
    ['Posst', ['Post', 'User'], 'Post'],
    ['Usr', ['Post', 'User'], 'User'],
    ['Pots', ['Post', 'User'], 'Post'],
    ['categry', ['CATEGORY'], 'CATEGORY'],
    ['abc', ['abx', 'abd'], 'abx'],
    ['abd', ['abx', 'abd'], 'abd'],
    ['__proto__', fields, undefined],
    ['categry', ['Category'], 'Category'],
    ['X', ['x'], 'x'],
    ['POST', ['Post', 'post2'], 'Post'],
    ['AUTHORID', ['author_id'], 'author_id'],
    ['x'.repeat(64), ['y', `${'x'.repeat(63)}y`], `${'x'.repeat(63)}y`],
    ['x'.repeat(65), [`${'x'.repeat(64)}y`], undefined],
    ['x'.repeat(65), ['x'.repeat(65)], undefined],
    ['x'.repeat(1_000_000), fields, undefined],
  ]
  for (const [name, known, expected] of rows) {
    test(`${JSON.stringify(name).slice(0, 80)} → ${expected ?? 'none'} of ${known.length}`, () =>
      assert.equal(nearest(name, known), expected))
  }

  test('of any iterable', () => assert.equal(nearest('titel', new Map(fields.map((name) => [name, 1])).keys()), 'title'))
})

describe('suffixes of messages', () => {
  test('a name that is near', () => assert.equal(didYouMean('titel', fields), "; did you mean 'title'?"))
  test('no name that is near', () => assert.equal(didYouMean('weather', fields), ''))
  test('a name that is near, and not all of them', () => assert.equal(meantOrKnown('titel', fields), "; did you mean 'title'?"))
  test('all known names if none is close', () =>
    assert.equal(meantOrKnown('weather', ['title', 'body']), ' (known: title, body)'))
  test('without known names', () => assert.equal(meantOrKnown('weather', []), ' (known: none)'))
})

describe('a slip of a name in an open list', () => {
  const known = ['foreignkey', 'textarea', 'string', 'date', 'choice']
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['foreign_key', 'foreignkey'],
    ['Text-Area', 'textarea'],
    ['strng', 'string'],
    ['strin', 'string'],
    ['DATE', 'date'],
    ['code', undefined],
    ['color', undefined],
    ['markdown', undefined],
    ['textbox', undefined],
    ['', undefined],
  ]
  for (const [name, expected] of rows) {
    test(`'${name}' is ${expected ?? 'meant as it is'}`, () => assert.equal(slip(name, known), expected))
  }
})
