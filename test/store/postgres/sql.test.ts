import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifier, joined, literal, sql } from '../../../src/store/postgres/sql.ts'

test('values become parameters, fragments are inserted', () => {
  const name = identifier('s', 'a"b')
  const inner = sql`${name} = ${"o'hara"} and ${identifier('n')} > ${5}`
  assert.deepEqual(sql`select * from ${name} where ${inner} or ${true} is ${null}`.compile(), {
    text: 'select * from "s"."a""b" where "s"."a""b" = $1 and "n" > $2 or $3 is $4',
    values: ["o'hara", '5', 'true', null],
  })
})

test('a fragment can be used several times', () => {
  const value = sql`${1}`
  assert.deepEqual(sql`${value}, ${value}`.compile(), { text: '$1, $2', values: ['1', '1'] })
})

test('fragments are joined with a separator', () => {
  assert.deepEqual(joined([sql`a`, sql`${2}`, sql`c`], ' and ').compile(), { text: 'a and $1 and c', values: ['2'] })
  assert.deepEqual(joined([sql`a`]).compile(), { text: 'a', values: [] })
  assert.deepEqual(joined([]).compile(), { text: '', values: [] })
})

test('lists become arrays', () => {
  const cases: readonly [Parameters<typeof sql>[1], string][] = [
    [[1, 2], '{1,2}'],
    [[], '{}'],
    [['a', 'b,"c"', 'd\\', '', 'NULL', null], '{"a","b,\\"c\\"","d\\\\","","NULL",NULL}'],
    [[true, 7n], '{true,7}'],
  ]
  for (const [list, text] of cases) assert.deepEqual(sql`${list ?? null}`.compile().values, [text])
})

test('a literal is quoted', () => {
  const texts = ["it's", 'a\\b', "'; drop table x; --"].map((text) => literal(text).compile().text)
  assert.deepEqual(texts, ["'it''s'", "E'a\\\\b'", "'''; drop table x; --'"])
  assert.deepEqual(
    [1.5, -2, 1e-7].map((number) => literal(number).compile().text),
    ['1.5', '(-2)', '1e-7'],
  )
})

test('a name or a literal with NUL, an infinite number and an object are errors', () => {
  assert.throws(() => identifier('a\0b'), /NUL/)
  assert.throws(() => literal('a\0b'), /NUL/)
  assert.throws(() => literal(Number.POSITIVE_INFINITY), /no number/)
  assert.throws(() => sql`${{ a: 1 } as unknown as string}`.compile(), /not object/)
})
