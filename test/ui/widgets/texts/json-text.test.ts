import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultIn, formatJson, parseJson } from '../../../../src/ui/widgets/texts/json-text.ts'
import { Unparsed } from '../../../../src/ui/widgets/unparsed.ts'

/** Line and column of the fault in a text. */
function placeOf(text: string): readonly [number, number] {
  const parsed = parseJson(text)
  assert.ok(parsed instanceof Unparsed && parsed.fault.kind === 'json', text)
  return [parsed.fault.line, parsed.fault.column]
}

test('JSON is parsed; an empty text is no value', () => {
  assert.deepEqual(parseJson('{"a": [1, null]}'), { a: [1, null] })
  assert.equal(parseJson(' \n'), null)
  assert.equal(formatJson(null), '')
  assert.equal(formatJson({ a: 1 }), '{\n  "a": 1\n}')
})

test('a fault has a line and a column, counted from 1', () => {
  assert.deepEqual(placeOf('{\n  "a": 1,\n  "b": oops\n}'), [3, 8])
  assert.deepEqual(placeOf('{'), [1, 2])
  assert.deepEqual(placeOf('[1,]'), [1, 4])
  assert.deepEqual(placeOf('// a comment'), [1, 1])
  // Control characters within texts are refused.
  assert.notEqual(faultIn('"a\tb"'), undefined)
})
