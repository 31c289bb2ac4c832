import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delimiterOf, withHeader } from '../../src/transfer/csv-delimiter.ts'

const KNOWN = new Set(['title', 'slug', 'body'])

for (const [header, expected] of [
  ['title,slug', ','],
  ['title;slug', ';'],
  ['title\tslug', '\t'],
  ['"title";"slug"', ';'],
  ['title', ','],
  ['titel;slgu', ','],
  ['', ','],
  ['title,other;slug', ','],
  ['a,b;title;slug', ';'],
] as const) {
  test(`the delimiter of ${JSON.stringify(header)} is ${JSON.stringify(expected)}`, () =>
    assert.equal(delimiterOf(header, KNOWN), expected))
}

test('the first line is found over several pieces, and nothing is lost', async () => {
  const pieces = ['\uFEFFti', 'tle;s', 'lug\r\na;b', '\nc;d']
  const { header, whole } = await withHeader(pieces)
  assert.equal(header, 'title;slug')
  let text = ''
  for await (const piece of whole) text += piece
  assert.equal(text, pieces.join(''))
})
