import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainText } from '../../src/util/text.ts'

for (const [text, expected] of [
  ['', true],
  ['a\n\t', true],
  ['👍', true],
  ['\uFFFD\uFFFE', true],
  ['\0', false],
  ['a\0b', false],
  ['\ud83d', false],
  ['\udc4d\ud83d', false],
] as const) {
  test(`${JSON.stringify(text)} is ${expected ? '' : 'not '}plain text`, () => assert.equal(isPlainText(text), expected))
}
