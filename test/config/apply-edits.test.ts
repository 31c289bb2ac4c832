import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyEdits } from '../../src/config/apply-edits.ts'
import type { TextChange, TextEdit } from '../../src/config/source.ts'

const SET: TextChange = { kind: 'set', path: ['b'], value: 3 }
const TEXT = 'a: &one 1\nb: *one\nc: [1, 2, 3]\n'
const edit = (old: string, text: string, change: TextChange): TextEdit => {
  const from = TEXT.indexOf(old)
  return { file: 'a.yaml', from, to: from + old.length, text, change }
}
const removal = (old: string, index: number) => edit(old, '', { kind: 'remove', path: ['c', index] })

const rows: readonly { name: string; edits: TextEdit[]; text: string; applied: number }[] = [
  { name: 'a value', edits: [edit('*one', '3', SET)], text: 'a: &one 1\nb: 3\nc: [1, 2, 3]\n', applied: 1 },
  {
    name: 'items, from first to last',
    edits: [removal('1, ', 0), removal(', 3', 2)],
    text: 'a: &one 1\nb: *one\nc: [2]\n',
    applied: 2,
  },
  { name: 'unparsable text', edits: [edit('*one', '[', SET)], text: TEXT, applied: 0 },
  { name: 'another value than intended', edits: [edit('*one', '4', SET)], text: TEXT, applied: 0 },
  { name: 'another place as well', edits: [edit('1\n', '3\n', { kind: 'set', path: ['a'], value: 3 })], text: TEXT, applied: 0 },
  {
    name: 'an existing key',
    edits: [edit('c:', 'd: 1\nc:', { kind: 'add', path: [], key: 'b', value: 1 })],
    text: TEXT,
    applied: 0,
  },
  { name: 'nothing', edits: [], text: TEXT, applied: 0 },
]
for (const { name, edits, text, applied } of rows) {
  test(`edits that change ${name}`, () => assert.deepEqual(applyEdits(TEXT, edits), { text, applied }))
}
