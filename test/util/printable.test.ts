import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { table } from '../../src/cli/style.ts'
import { printable, printableJson } from '../../src/util/text.ts'

const HOSTILE = 'a\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\u202eb\r\n'
const SHOWN = 'a\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u007f\\u202eb\\u000d\\u000a'

describe('untrusted text', () => {
  test('is escaped for a terminal', () => {
    assert.equal(printable(HOSTILE), SHOWN)
    assert.equal(printable('Grüße, 雪, שלום 🌊'), 'Grüße, 雪, שלום 🌊')
  })

  test('stays the same value in indented JSON', () => {
    const text = printableJson({ [HOSTILE]: [HOSTILE] })
    assert.deepEqual(JSON.parse(text), { [HOSTILE]: [HOSTILE] })
    assert.doesNotMatch(text, /[^\P{Cc}\n]|\u202e/u)
    assert.equal(text.split('\n').length, 5)
    assert.equal(printableJson(undefined), 'null')
  })

  test('keeps the columns of a table aligned', () => {
    const rows = [
      ['\u001b[2J', 'x'],
      ['1', 'y'],
    ]
    assert.equal(table(['ID', 'NAME'], rows), 'ID         NAME\n\\u001b[2J  x\n1          y\n')
  })
})
