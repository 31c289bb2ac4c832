import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { containsPart, containsPattern } from '../../../../src/store/postgres/queries/text-conditions.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { compareTexts, endOfPrefix, foldCase, isPlainText } from '../../../../src/util/text.ts'
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

test('the pattern of a character has all characters with the same lower case, and no others', () => {
  let count = 0
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    const lower = foldCase(character)
    if (!isPlainText(character) || lower === character || [...lower].length > 1) continue
    count++
    const characters = [...containsPattern(lower).replace(/^\[(.*)\]$/su, '$1')]
    assert.ok(characters.includes(character), `U+${code.toString(16)}`)
    assert.ok(
      characters.every((each) => each === '\u0130' || foldCase(each) === lower),
      `U+${code.toString(16)}`,
    )
  }
  assert.ok(count > 1400, `${count} characters`)
})

test('the collation of columns orders texts as the embedded engine does', async () => {
  const random = new Random(4)
  const characters = ['a', 'é', '～', '\uffff', '\ue000', '\ud7ff', '😀', '\u{10000}', '\u{10ffff}', '\u0001']
  const texts = Array.from({ length: 500 }, () => random.list(5, () => random.pick(characters)).join(''))
  const { rows } = await database.query(sql`select "text" from unnest(${texts}::text[]) "text" order by "text" collate "C"`)
  assert.deepEqual(rows.flat(), [...texts].sort(compareTexts))
  const beginnings = texts.filter((text) => text !== '').slice(0, 50)
  for (const beginning of beginnings) {
    const end = endOfPrefix(beginning)
    const isWithin = (text: string) => compareTexts(text, beginning) >= 0 && (end === undefined || compareTexts(text, end) < 0)
    assert.deepEqual(
      texts.filter(isWithin),
      texts.filter((text) => text.startsWith(beginning)),
      JSON.stringify(beginning),
    )
  }
})
