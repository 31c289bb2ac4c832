import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delimiterCharacter, foundDelimiter, readCsv } from '../../src/ui/import/csv-text.ts'

const turn = async () => {}

async function read(text: string, delimiter: string, isPasted = false) {
  const csv = await readCsv(text, { delimiter: delimiterCharacter(delimiter), isPasted, firstRows: 2, turn })
  return csv === undefined ? undefined : { ...csv, pieces: csv.pieces.join('') }
}

test('rows that a server can read stay as they are; columns have a name each', async () => {
  const csv = await read('Name;Alter;;Name\r\n"Groß; ""J""";1;;""\r\nKlein;2;;x', 'semicolon')
  assert.deepEqual(csv?.headers, ['Name', 'Alter', 'Column C', 'Name (D)'])
  assert.equal(csv?.pieces, '"Name";"Alter";"Column C";"Name (D)"\r\n"Groß; ""J""";1;;""\r\nKlein;2;;x')
  assert.deepEqual([csv?.delimiter, csv?.lines], ['semicolon', [2, 3]])
})

test('rows of empty cells become empty lines, short rows are filled up, empty cells at the end are left out', async () => {
  const csv = await read(';;\na;b;c\n;;\n1\n ;; \n1;2;3;;\n1;2;3;4\n', 'semicolon')
  assert.equal(csv?.pieces, '\n"a";"b";"c"\n\n1;;\n\n1;2;3\n1;2;3;4\n')
  assert.deepEqual(csv?.lines, [4, 6, 7])
})

test('a delimiter that a server does not know becomes a tab', async () => {
  const csv = await read('a|b|c\n"x|y"|tab\there|5" pipe\n"two\nlines"|"a"b|\n', 'pipe')
  assert.equal(csv?.pieces, '"a"\t"b"\t"c"\n"x|y"\t"tab\there"\t"5"" pipe"\n"two\nlines"\t"""a""b"\t\n')
  assert.deepEqual([csv?.delimiter, csv?.lines], ['tab', [2, 3]])
  assert.equal((await read('a^b\n1^2', '^'))?.pieces, '"a"\t"b"\n1\t2')
})

test('pasted cells may have quotes that are not doubled', async () => {
  const csv = await read('Name\tSize\nPipe\t5"\n"A"\t"two\nlines with ""quotes"""\n"open\t1\n', 'tab', true)
  assert.equal(csv?.pieces, '"Name"\t"Size"\nPipe\t"5"""\n"A"\t"two\nlines with ""quotes"""\n"""open"\t1\n')
  assert.deepEqual(csv?.lines, [2, 3, 5])
})

test('a preview has the head and the first rows', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `${index},x`)
  const csv = await read(['a,b', ...rows].join('\n'), 'comma')
  assert.equal(csv?.first, '"a","b"\n0,x\n1,x\n')
  assert.equal(csv?.lines.length, 5000)
  assert.equal(csv?.pieces.split('\n').at(-1), '4999,x')
  assert.equal((await read('a,b\n1,2', 'comma'))?.first, '"a","b"\n1,2')
})

test('a text without a cell has no columns, and one with a head alone no rows', async () => {
  assert.equal(await read('', 'comma'), undefined)
  assert.equal(await read('\n;;\n', 'semicolon'), undefined)
  assert.deepEqual((await read('a,b', 'comma'))?.lines, [])
})

test('the page has a turn while a large text is read', async () => {
  let turns = 0
  const text = `a\n${'1\n'.repeat(20_000)}`
  await readCsv(text, { delimiter: ',', firstRows: 10, turn: async () => void turns++ })
  assert.equal(turns, 10)
})

test('the delimiter is the one that gives the most known names, or the most names', () => {
  const known = (name: string) => ['Name', 'Phone'].includes(name)
  const texts = ['a,b', 'a;b', 'a\tb', 'a|b|c', 'Name;Phone;a, b, c, d, e', '"a;b",c', 'Name', '\n\nName|Phone\n1;2;3', '']
  const found = texts.map((text) => foundDelimiter(text, known))
  assert.deepEqual(found, ['comma', 'semicolon', 'tab', 'pipe', 'semicolon', 'comma', 'comma', 'pipe', 'comma'])
})
