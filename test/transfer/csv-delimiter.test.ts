import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delimiterOf, withHeader } from '../../src/transfer/csv-records.ts'

const KNOWN = new Set(['title', 'slug', 'body'])

for (const [header, expected] of [
  ['title,slug', ','],
  ['title;slug', ';'],
  ['title\tslug', '\t'],
  ['"title";"slug"', ';'],
  ['title', ','],
  ['titel;slgu', ';'],
  ['Titel\tKurztext\tText', '\t'],
  ['Last name, first name;Street;Town', ';'],
  ['"Name, first";"Street, number";Town', ';'],
  ['"a;b;c;d",title', ','],
  ['one;two,title', ','],
  ['', ','],
  ['title,other;slug', ','],
  ['"say ""title""";slug', ';'],
  ['a,b;title;slug', ';'],
] as const) {
  test(`the delimiter of ${JSON.stringify(header)} is ${JSON.stringify(expected)}`, () =>
    assert.equal(
      delimiterOf(header, (name) => KNOWN.has(name)),
      expected,
    ))
}

test('the first line is found over several pieces, and nothing is lost', async () => {
  const pieces = ['\uFEFFti', 'tle;s', 'lug\r\na;b', '\nc;d']
  const { header, whole } = await withHeader(pieces)
  assert.equal(header, 'title;slug')
  let text = ''
  for await (const piece of whole) text += piece
  assert.equal(text, pieces.join(''))
})

test('empty lines before the header are not the header', async () => {
  assert.equal((await withHeader(['\r\n\n', '\ntitle;s', 'lug\n'])).header, 'title;slug')
})
