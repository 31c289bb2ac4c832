import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Joi from 'joi'
import { validateShape } from '../../src/config/shape.ts'
import { parseText } from '../../src/config/text-source.ts'
import { assertLines, linesOf, unmark } from './marks.ts'

const schema = Joi.object({
  name: Joi.string().required(),
  size: Joi.number().default(3),
  parts: Joi.array().items(Joi.object({ title: Joi.string().required(), hidden: Joi.boolean() })),
  limits: Joi.object({ lower: Joi.number(), upper: Joi.number() }),
})

function check(marked: string): { lines: string[]; places: string[] } {
  const { text, places } = unmark(marked)
  const { value, source } = parseText(text, 'f', 'yaml').definition
  return { lines: linesOf(validateShape(schema, value, source).faults.list), places }
}

describe('faults of the validator, with positions', () => {
  const rows: readonly (readonly [name: string, text: string, ...messages: string[]])[] = [
    ['none', 'name: a\n'],
    ['an unknown key', 'name: a\n»syze: 1\n', "Unknown key 'syze'; did you mean 'size'?"],
    ['an unknown key like no other', 'name: a\n»colour: 1\n', "Unknown key 'colour'"],
    ['an unknown key inside', 'name: a\nlimits: { »uper: 1 }\n', "Unknown key 'uper'; did you mean 'upper'?"],
    [
      'an unknown key in an item',
      'name: a\nparts:\n  - title: x\n    »hiden: true\n',
      "Unknown key 'hiden'; did you mean 'hidden'?",
    ],
    ['a wrong type', 'name: »1\n', "'name' must be a string"],
    ['text is no number', 'name: a\nsize: »"3"\n', "'size' must be a number"],
    ['a wrong type inside', 'name: a\nlimits:\n  lower: »low\n', "'limits.lower' must be a number"],
    ['a mapping is expected', 'name: a\nlimits: »[1]\n', "'limits' must be a mapping of keys to values"],
    ['a missing key', '»size: 1\n', "Key 'name' is missing"],
    ['a missing key of an item', 'name: a\nparts:\n  - »hidden: true\n', "Key 'parts[0].title' is missing"],
    ['text in the place of it all', '»hello\n', 'The definition must be a mapping of keys to values'],
    [
      'all together',
      '»»syze: 1\nsize: »x\nlimits: { lower: »low, »uper: 2 }\n',
      "Key 'name' is missing",
      "Unknown key 'syze'; did you mean 'size'?",
      "'size' must be a number",
      "'limits.lower' must be a number",
      "Unknown key 'uper'; did you mean 'upper'?",
    ],
  ]
  for (const [name, text, ...messages] of rows) {
    test(name, () => {
      const { lines, places } = check(text)
      assertLines(
        lines,
        messages.map((message, index) => `f:${places[index]}: ${message}`),
      )
    })
  }

  test('an empty file', () => assert.deepEqual(check('').lines, ['f:1:1: The definition must be a mapping of keys to values']))
})

test('a valid value is returned with its defaults, and text is converted to numbers only on request', () => {
  const { source } = parseText('', 'f', 'yaml').definition
  assert.deepEqual(validateShape(schema, { name: 'a' }, source).value, { name: 'a', size: 3 })
  assert.equal(validateShape(schema, { name: 'a', size: '4' }, source).value, undefined)
  assert.deepEqual(validateShape(schema, { name: 'a', size: '4' }, source, { convert: true }).value, { name: 'a', size: 4 })
})
