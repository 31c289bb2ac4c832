import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { TextOrder } from '../../../../src/store/postgres/layout/text-order.ts'
import { containsPart, containsPattern } from '../../../../src/store/postgres/queries/text-conditions.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { foldCase } from '../../../../src/util/text.ts'
import { museumRegistry } from '../../../helpers/postgres/museum.ts'
import { pglite } from '../../../helpers/postgres/pglite.ts'
import { Random } from '../../../helpers/postgres/random.ts'

/** Characters whose case is special, those around them, and those with a meaning in patterns. */
const CHARACTERS = [
  ...['Σ', 'σ', 'ς', 'Ο', 'ο', 'a', 'A', 'ʰ', "'", ' ', '\u0345', '\u0301', '.', 'İ', 'i', 'I', '\u0307', 'ı', '\u00ad', ':'],
  ...['ß', 'ẞ', 'ſ', 's', 'S', '\u212a', 'K', 'k', '\u212b', 'å', 'Å', 'ǅ', 'ǆ', 'Ǆ', 'ϴ', 'θ', '𐐀', '𐐨', '\u{1e900}', 'Ꭰ', 'ꭰ'],
  ...['%', '_', '\\', '*', '(', ')', '[', ']', '^', '$', '|', '?', '+', '{', '}', '\n', '-', '1', '😀', 'é', 'É'],
]

let database: Database
before(async () => {
  database = await pglite()
})

test('a pattern matches the texts that contain a part in lower case', async () => {
  const random = new Random(21)
  const text = (below: number, of: number) => random.list(below, () => random.pick(CHARACTERS.slice(0, of))).join('')
  let hits = 0
  for (let round = 0; round < 300; round++) {
    const of = round % 2 === 0 ? 20 : CHARACTERS.length
    const part = text(4, of)
    const texts = Array.from({ length: 100 }, () => text(9, of))
    const { rows } = await database.query(
      sql`select "text" ~ ${containsPattern(part)} from unnest(${texts}::text[]) with ordinality "t" ("text", "n") order by "n"`,
    )
    const expected = texts.map((each) => foldCase(each).includes(foldCase(part)))
    hits += expected.filter((each) => each).length
    for (const [place, [matches]] of rows.entries())
      assert.equal(matches === 't', expected[place], JSON.stringify([part, texts[place]]))
  }
  assert.ok(hits > 3000, `${hits} texts contain the part`)
})

test('a long part is compiled for long texts only', async () => {
  const part = 'Straße '.repeat(300)
  const contains = async (text: string) =>
    (await database.query(sql`select ${containsPart(sql`${text}::text`, part)}`)).rows[0]?.[0]
  assert.equal(await contains(`> ${part.toLowerCase()}`), 't')
  assert.equal(await contains(part.slice(1)), 'f')
  assert.equal(await contains('short'), null)
})

test('the expression of an index orders texts by code units', async () => {
  const field = museumRegistry().expect('exhibit').fields.get('title') ?? assert.fail()
  const order = new TextOrder(field)
  const random = new Random(4)
  const characters = ['a', 'é', '～', '\uffff', '\ue000', '\ud7ff', '😀', '\u{10ffff}', '\u0001']
  const texts = Array.from({ length: 500 }, () => random.list(5, () => random.pick(characters)).join(''))
  const column = sql`"text" collate "C"`
  const { rows } = await database.query(
    sql`select "text", ${order.mapped(column)} from unnest(${texts}::text[]) "text" order by ${order.mapped(column)}`,
  )
  assert.deepEqual(
    rows.map(([text]) => text),
    [...texts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
  )
  for (const [text, mapped] of rows) assert.equal(mapped, order.map(text ?? ''))
})
