import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultIn, formatJson, parseJson } from '../../src/ui/widgets/json-text.ts'
import { Unparsed } from '../../src/ui/widgets/unparsed.ts'

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

/** Kind, part and column of the first value that would change. */
function lossOf(text: string): readonly unknown[] | undefined {
  const parsed = parseJson(text)
  if (!(parsed instanceof Unparsed)) return undefined
  const { fault } = parsed
  return 'column' in fault ? [fault.kind, fault.text, fault.column] : [fault.kind]
}

test('a value that would change when it is stored is a fault', () => {
  assert.deepEqual(lossOf('{"id": 9007199254740993}'), ['jsonNumber', '9007199254740993', 8])
  assert.deepEqual(lossOf('{"a":1,"a":2}'), ['jsonName', 'a', 8])
  assert.deepEqual(lossOf('[0.1, 1e400]'), ['jsonNumber', '1e400', 7])
  assert.deepEqual(lossOf('[1e-400]'), ['jsonNumber', '1e-400', 2])
  // The same name in another object, and other texts of the same number, are none.
  for (const text of ['[{"a":1},{"a":2}]', '{"a":{"a":1}}', '[0.1, 1.50, 1e5, -0, 9007199254740992, 1152921504606846976, 1e21]'])
    assert.equal(lossOf(text), undefined, text)
})
