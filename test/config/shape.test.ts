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
  const rows: readonly { name: string; text: string; messages: string[] }[] = [
    { name: 'none', text: 'name: a\n', messages: [] },
    { name: 'an unknown key', text: 'name: a\n»syze: 1\n', messages: ["Unknown key 'syze'; did you mean 'size'?"] },
    { name: 'an unknown key like no other', text: 'name: a\n»colour: 1\n', messages: ["Unknown key 'colour'"] },
    {
      name: 'an unknown key inside',
      text: 'name: a\nlimits: { »uper: 1 }\n',
      messages: ["Unknown key 'uper'; did you mean 'upper'?"],
    },
    {
      name: 'an unknown key in an item',
      text: 'name: a\nparts:\n  - title: x\n    »hiden: true\n',
      messages: ["Unknown key 'hiden'; did you mean 'hidden'?"],
    },
    { name: 'a wrong type', text: 'name: »1\n', messages: ["'name' must be a string"] },
    { name: 'text is no number', text: 'name: a\nsize: »"3"\n', messages: ["'size' must be a number"] },
    { name: 'a wrong type inside', text: 'name: a\nlimits:\n  lower: »low\n', messages: ["'limits.lower' must be a number"] },
    {
      name: 'a mapping is expected',
      text: 'name: a\nlimits: »[1]\n',
      messages: ["'limits' must be a mapping of keys to values"],
    },
    { name: 'a missing key', text: '»size: 1\n', messages: ["Key 'name' is missing"] },
    {
      name: 'a missing key of an item',
      text: 'name: a\nparts:\n  - »hidden: true\n',
      messages: ["Key 'parts[0].title' is missing"],
    },
    { name: 'text in the place of it all', text: '»hello\n', messages: ['The definition must be a mapping of keys to values'] },
    {
      name: 'all together',
      text: '»»syze: 1\nsize: »x\nlimits: { lower: »low, »uper: 2 }\n',
      messages: [
        "Key 'name' is missing",
        "Unknown key 'syze'; did you mean 'size'?",
        "'size' must be a number",
        "'limits.lower' must be a number",
        "Unknown key 'uper'; did you mean 'upper'?",
      ],
    },
  ]
  for (const { name, text, messages } of rows) {
    test(name, () => {
      const { lines, places } = check(text)
      assertLines(
        lines,
        messages.map((message, index) => `f:${places[index]}: ${message}`),
      )
    })
  }

  test('an empty file', () => {
    assert.deepEqual(check('').lines, ['f:1:1: The definition must be a mapping of keys to values'])
  })
})

test('a valid value is returned with its defaults, and text is converted to numbers only on request', () => {
  const { source } = parseText('', 'f', 'yaml').definition
  assert.deepEqual(validateShape(schema, { name: 'a' }, source).value, { name: 'a', size: 3 })
  assert.equal(validateShape(schema, { name: 'a', size: '4' }, source).value, undefined)
  assert.deepEqual(validateShape(schema, { name: 'a', size: '4' }, source, { convert: true }).value, { name: 'a', size: 4 })
})
