import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Format } from '../../src/query/formats.ts'
import { type ImportedFile, rewriteFileValues } from '../../src/transfer/file-values.ts'

/** Rewrites a text that is read in pieces of a length; values become their index and their JSON in angle brackets. */
async function rewritten(format: Format, text: string, size: number, seen: ImportedFile[] = []): Promise<string> {
  async function* pieces() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  }
  const replace = async (value: ImportedFile) => {
    seen.push(value)
    return value.value === 'keep' ? undefined : { was: value.value }
  }
  const fieldOf = (name: string) => (['cover', 'Cover'].includes(name) ? 'cover' : undefined)
  let whole = ''
  for await (const piece of rewriteFileValues(pieces(), { format, delimiterOf: () => ';', fieldOf, replace })) whole += piece
  return whole
}

const cases: readonly (readonly [what: string, format: Format, text: string, result: string])[] = [
  ['cells of CSV', 'csv', 'id;cover\r\n1;a.png\r\n', 'id;cover\r\n1;"{""was"":""a.png""}"\r\n'],
  ['a cell with JSON', 'csv', 'cover\r\n"[""a"", 1]"\r\n', 'cover\r\n"{""was"":[""a"",1]}"\r\n'],
  ['a cell that looks like JSON', 'csv', 'cover\r\n[a\r\n', 'cover\r\n"{""was"":""[a""}"\r\n'],
  ['no value', 'csv', 'a;cover\r\n"";\r\n;""\r\n', 'a;cover\r\n"";\r\n;"{""was"":""""}"\r\n'],
  [
    'empty lines, which count',
    'csv',
    '\n\ncover;b\n\n\na;"x\ny"\nb;c\n',
    '\r\n\r\ncover;b\r\n\r\n\r\n"{""was"":""a""}";"x\ny"\r\n"{""was"":""b""}";c\r\n',
  ],
  ['a cell of two lines', 'csv', 'cover\n"[1,\n2]"\nkeep\n', 'cover\r\n"{""was"":[1,2]}"\r\n\r\nkeep\r\n'],
  ['a row with other cells', 'csv', 'id;cover\r\na\r\n', 'id;cover\r\na\r\n'],
  ['a label', 'csv', 'Cover\r\na\r\n', 'Cover\r\n"{""was"":""a""}"\r\n'],
  [
    'members of NDJSON',
    'ndjson',
    '{"id":1,"cover":"a"}\n\n{"cover" : [1] ,"b":{"cover":2}}',
    '{"id":1,"cover":{"was":"a"}}\n\n{"cover" :{"was":[1]},"b":{"cover":2}}',
  ],
  ['numbers and members as they are written', 'ndjson', '{"a":1.10,"a":2,"cover":1}', '{"a":1.10,"a":2,"cover":{"was":1}}'],
  ['null, and a value to keep', 'ndjson', '{"cover":null}\n{"cover":"keep"}\n', '{"cover":null}\n{"cover":"keep"}\n'],
  ['what is no object', 'ndjson', '[{"cover":1}]\n{"cover":\n"cover"\n', '[{"cover":1}]\n{"cover":\n"cover"\n'],
  ['a key with an escape', 'ndjson', '{"\\u0063over":1}', '{"\\u0063over":{"was":1}}'],
  ['signs within texts', 'ndjson', '{"a":"}],\\"cover\\":1","cover":"{"}', '{"a":"}],\\"cover\\":1","cover":{"was":"{"}}'],
  ['items of JSON', 'json', ' [ {"cover":1},\n{"b":[{"cover":2}]} ] ', '[{"cover":{"was":1}},\n{"b":[{"cover":2}]}]\n'],
  ['no items', 'json', '[]', '[]\n'],
]

for (const [what, format, text, result] of cases) {
  test(`${what}: values of file fields are replaced, in pieces of any size`, async () => {
    for (let size = 1; size <= text.length; size++) assert.equal(await rewritten(format, text, size), result, `pieces of ${size}`)
  })
}

test('a value comes with the id and the index of its record', async () => {
  const seen: ImportedFile[] = []
  await rewritten('csv', 'cover;id\n;1\na;2\n', 5, seen)
  await rewritten('ndjson', '{"id":1}\n\n{"cover":["a"],"id":2}\n', 5, seen)
  assert.deepEqual(seen, [
    { index: 1, field: 'cover', value: 'a', id: '2' },
    { index: 1, field: 'cover', value: ['a'], id: 2 },
  ])
})

test('a file of CSV that is malformed ends with a malformed row on the same line', async () => {
  assert.equal(await rewritten('csv', 'cover\n\na\n"b"c\nd\n', 100), 'cover\r\n\r\n"{""was"":""a""}"\r\n"')
})

test('a file that is no JSON array is an error', async () => {
  await assert.rejects(rewritten('json', '{"cover":1}', 5), { code: 'INVALID_REQUEST' })
  await assert.rejects(rewritten('json', '[{"cover":1}', 5), { code: 'MALFORMED_JSON' })
})
