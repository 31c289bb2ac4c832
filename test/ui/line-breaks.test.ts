import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withLineBreaks } from '../../src/ui/widgets/line-breaks.ts'

for (const [what, before, after, expected] of [
  ['a line that is edited', 'one\r\ntwo\r\nthree', 'one\ntwo!\nthree', 'one\r\ntwo!\r\nthree'],
  ['a line that is added', 'one\r\ntwo', 'one\nnew\ntwo', 'one\r\nnew\r\ntwo'],
  ['a line that is removed', 'one\r\ntwo\r\nthree', 'one\nthree', 'one\r\nthree'],
  ['different line breaks', 'one\ntwo\r\nthree\rfour', 'one\ntwo\nthree\nfour!', 'one\ntwo\r\nthree\rfour!'],
  ['an edit between different line breaks', 'a\nb\r\nc\rd', 'a\nb\nx\nc\nd', 'a\nb\r\nx\nc\rd'],
  ['an empty line at the end', 'one\r\n', 'one\n\n', 'one\r\n\r\n'],
  ['a text without CR', 'one\ntwo', 'one\ntwo\nthree', 'one\ntwo\nthree'],
  ['a text that is replaced', 'one\r\ntwo', 'a\nb\nc', 'a\r\nb\r\nc'],
  ['a text that is as before', 'one\r\ntwo\r', 'one\ntwo\n', 'one\r\ntwo\r'],
] as const) {
  test(`line breaks stay as they are: ${what}`, () => assert.equal(withLineBreaks(after, before), expected))
}

test('a text that had no line break for a while gets those that are stored', () => {
  assert.equal(withLineBreaks('one\ntwo', 'one', 'one\r\ntwo'), 'one\r\ntwo')
  assert.equal(withLineBreaks('one\ntwo', 'one', 'one two'), 'one\ntwo')
})
