import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DelimiterName, Format } from '../../src/query/formats.ts'
import { readRows, rowLines } from '../../src/transfer/row-reader.ts'
import { delimiterCharacter, foundDelimiter, readCsv } from '../../src/ui/import/csv-text.ts'
import { linesOfRecords } from '../../src/ui/import/import-options.ts'
import { BLOG, registryOf } from '../model/models.ts'

const post = registryOf(...BLOG).expect('post')

const rows: readonly (readonly [
  what: string,
  format: Format,
  text: string,
  lines: readonly number[],
  delimiter?: DelimiterName,
])[] = [
  ['a table', 'csv', 'title,views\na,1\nb,2\n', [2, 3]],
  ['blank lines and quoted line breaks', 'csv', '\r\ntitle,views\r\n\r\n"two\r\nlines",1\r\n\r\nb,2', [4, 7]],
  ['a table without CRLF but within quotes', 'csv', 'title,views\n"a\r\nb\r\nc",1\nd,2\n', [2, 5]],
  ['semicolons within quotes that contain commas', 'csv', 'title;views\n"a;,\nb";1\nc;2\n', [2, 4]],
  ['tabs', 'csv', 'title\tviews\n"a\tb"\t1\n"c\n"\t2\nd\t3\n', [2, 3, 5]],
  ['a named delimiter', 'csv', 'title;x\n"a\nb";1\nc;2\n', [2, 4], 'semicolon'],
  ['a byte order mark before a quote', 'csv', '\uFEFF"title","views"\n"a",1\n"b",2\n', [2, 3]],
  ['a quote that is not closed', 'csv', 'title,views\na,1\n"b,2\nc,3\n', [2, 3]],
  ['a header alone', 'csv', 'title\n', []],
  ['nothing', 'csv', '', []],
  ['doubled quotes and lone CR', 'csv', 'title,views\r"a""\r""b",1\r\r"c\r\n"",",2\rd,3', [2, 5, 7]],
  ['labels that are not known', 'csv', 'Titel;Aufrufe\n"a\nb";1\nc;2\n', [2, 4]],
  ['lines, of which some are blank', 'ndjson', '\uFEFF{"title": "a"}\n\n \r\n{"title": "b"}\r\n7', [1, 4, 5]],
]

async function rowLinesOfPage(format: Format, bytes: Uint8Array, delimiter?: DelimiterName): Promise<readonly number[]> {
  if (format !== 'csv') return linesOfRecords(format, bytes)
  const text = new TextDecoder().decode(bytes)
  const found = delimiterCharacter(delimiter ?? foundDelimiter(text, () => false))
  return (await readCsv(text, { delimiter: found, firstRows: 1, turn: async () => {} }))?.lines ?? []
}

for (const [what, format, text, lines, delimiter] of rows) {
  test(`the lines of ${what} are those that an import reports, in the shell and on the page`, async () => {
    const bytes = new TextEncoder().encode(text)
    const read: (number | undefined)[] = []
    for await (const { line } of readRows(format, [bytes], post, { maxRecordBytes: 1_048_576, delimiter })) read.push(line)
    assert.deepEqual(await rowLines(format, bytes, delimiter), read)
    // The page does not stop at a fault.
    assert.deepEqual((await rowLinesOfPage(format, bytes, delimiter)).slice(0, read.length), read)
    assert.deepEqual(read, lines)
  })
}

test('records of JSON have no lines', async () => {
  const bytes = new TextEncoder().encode('[{}]')
  assert.deepEqual(await rowLines('json', bytes), [])
  assert.deepEqual(await rowLinesOfPage('json', bytes), [])
})
