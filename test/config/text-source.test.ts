import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseText } from '../../src/config/text-source.ts'
import { assertLines, linesOf, unmark } from './marks.ts'

const TWICE = (key: string) => `the key '${key}' is given twice in the same mapping; remove one`

describe('syntax faults have their position', () => {
  type Row = readonly [name: string, text: string, message: string, format?: 'json' | 'yaml']
  const rows: readonly Row[] = [
    ['a duplicate key', 'a: 1\nb: 2\n»a: 3\n', `Not valid YAML: ${TWICE('a')}`],
    ['a duplicate key inside', 'a:\n  - b: 1\n    »b: 2\n', `Not valid YAML: ${TWICE('b')}`],
    ['an unclosed quote', 'a: "b\n»', 'Not valid YAML: a text in quotes is not closed, here or above'],
    ['a tab', 'a:\n»\t- b\n', 'Not valid YAML: the line is indented with a tab; use spaces'],
    ['a reserved character', 'a: »@b\n', 'Not valid YAML: a value cannot begin with @; put it into quotes'],
    ['a colon in a value', 'a: »b: c\n', "Not valid YAML: the value contains ': '; put it into quotes"],
    [
      'a colon in a value within braces',
      "a:\n  - { b: »it's: c }\n",
      "Not valid YAML: the value contains ': '; put it into quotes",
    ],
    ['an unclosed brace', 'a:\n  - { b: 1\n  »- { c: 2 }\n', 'Not valid YAML: a { or [ is not closed, here or above'],
    ['an unclosed brace above a key', 'a:\n  - { b: 1\n»c: 2\n', 'Not valid YAML: a { or [ is not closed, here or above'],
    [
      'a key without a colon, once',
      'a: 1\n»b\n  - { c: 1 }\n',
      "Not valid YAML: 'b' is neither a key with a value nor part of the value above; write 'key: value', or correct the indentation",
    ],
    [
      'a list item that is not in line, once',
      'a:\n  - { b: 1 }\n» - { b: 2 }\n',
      'Not valid YAML: the line is indented differently from the lines that it belongs to',
    ],
    ['a second document', 'a: 1\n»---\nb: 2\n', 'Not valid YAML: a file holds one document; write several definitions as a list'],
    ['a __proto__ key', 'a: 1\n»__proto__: { x: 1 }\n', "'__proto__' cannot be a key"],
    ['a __proto__ key inside', 'a: [{ b: { »"__proto__": 1 } }]\n', "'__proto__' cannot be a key"],
    ['a __proto__ key in JSON', '{\n  »"__proto__": {}\n}', "'__proto__' cannot be a key", 'json'],
    ['an escaped __proto__ key in JSON', '{\n  »"\\u005f_proto__": {}\n}', "'__proto__' cannot be a key", 'json'],
    ['a JSON duplicate key', '{\n "a": 1,\n »"a": 2 }', `Not valid JSON: ${TWICE('a')}`, 'json'],
    ['a JSON trailing comma', '{\n "a": 1,\n»}', 'Not valid JSON: property name expected', 'json'],
    ['a JSON comment', '{\n  »// why\n "a": 1 }', 'Not valid JSON: invalid comment token', 'json'],
    ['a JSON key without quotes', '{ »a: 1 }', 'Not valid JSON: invalid symbol', 'json'],
    ['a missing JSON value', '{\n  "a": »}\n', 'Not valid JSON: value expected', 'json'],
    ['an unknown JSON literal', '{\n  "a": 1,\n  "b": »yes\n}\n', 'Not valid JSON: invalid symbol', 'json'],
    ['an empty JSON file', '»', 'Not valid JSON: value expected', 'json'],
    ['JSON that breaks off', '[1,\n2»', 'Not valid JSON: close bracket expected', 'json'],
    ['an unterminated JSON string', '{\n"a": »"b\n}', 'Not valid JSON: unexpected end of string', 'json'],
    ['a JSON colon that is missing', '{"a" »1}', 'Not valid JSON: colon expected', 'json'],
    ['a JSON comma that is missing', '[\n  1\n  »2\n]', 'Not valid JSON: comma expected', 'json'],
    ['more after the JSON', '{"a": 1}\n»{"b": 2}', 'Not valid JSON: end of file expected', 'json'],
    ['JSON text in single quotes', "[»'a']", 'Not valid JSON: invalid symbol', 'json'],
    ...(['yaml', 'json'] as const).flatMap((format) =>
      ['9007199254740993', '-1.00000000000000001', '1e400', '1E-400'].map(
        (numeral): Row => [
          `the number ${numeral} in ${format}`,
          `{ "a": [1.5, { "b": »${numeral} }] }`,
          `The number ${numeral} cannot be kept exactly; round it, or put it into quotes if it is a text or a decimal`,
          format,
        ],
      ),
    ),
    [
      'a hexadecimal number',
      'a: »0x20000000000001\n',
      'The number 9007199254740993 cannot be kept exactly; round it, or put it into quotes if it is a text or a decimal',
    ],
    [
      'a number as a key',
      '»9007199254740993: a\n',
      'The number 9007199254740993 cannot be kept exactly; round it, or put it into quotes if it is a text or a decimal',
    ],
    ['a JSON NaN', '[»NaN]', 'Not valid JSON: invalid symbol', 'json'],
  ]
  for (const [name, marked, message, format = 'yaml'] of rows) {
    test(name, () => {
      const { text, places } = unmark(marked)
      const { definition, faults } = parseText(text, 'models/a', format)
      assertLines(linesOf(faults.list), [`models/a:${places[0]}: ${message}`])
      assert.equal(definition.value, undefined)
    })
  }

  test('a message is one line, so that a list of faults has one line each', () => {
    const { faults } = parseText('{\n  "a": }\n}\n', 'models/a.json', 'json')
    assert.equal(faults.list.length, 1)
    assert.doesNotMatch(faults.list[0]?.message ?? '', /\n/)
  })

  test('every duplicate key of a file, not only the first', () => {
    const { text, places } = unmark('a: 1\n»a: 2\nb: 1\n»b: 2\n')
    const { faults } = parseText(text, 'f', 'yaml')
    assert.deepEqual(
      linesOf(faults.list),
      places.map((place, index) => `f:${place}: Not valid YAML: ${TWICE(index === 0 ? 'a' : 'b')}`),
    )
  })

  test('aliases that expand without bound', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level++)
      bomb.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    const { definition, faults } = parseText(bomb.join('\n'), 'f', 'yaml')
    assert.equal(definition.value, undefined)
    assertLines(linesOf(faults.list), ['f:1:1: Not valid YAML: Excessive alias count…'])
  })
})

describe('values', () => {
  const rows: readonly (readonly [string, string, unknown])[] = [
    ['YAML 1.2: yes, no and on are text', '[yes, no, on, off]', ['yes', 'no', 'on', 'off']],
    ['a day is text', '2024-01-01', '2024-01-01'],
    ['numbers and booleans', '[1, 1.5, -0.5, 1e3, true, null, ~]', [1, 1.5, -0.5, 1000, true, null, null]],
    ['numbers in other spellings', '[0x1F, 0o17, +1, 1.50, .5, 1e21, 0x1000000000000000]', [31, 15, 1, 1.5, 0.5, 1e21, 2 ** 60]],
    ['numbers in quotes', '["9007199254740993", \'1e400\']', ['9007199254740993', '1e400']],
    ['a block', 'a: |\n  one\n  two\n', { a: 'one\ntwo\n' }],
    ['an alias', 'a: &x [1]\nb: *x\n', { a: [1], b: [1] }],
    ['a merge key', 'a: &a { x: 1, y: 2 }\nb: { <<: *a, y: 3 }\n', { a: { x: 1, y: 2 }, b: { x: 1, y: 3 } }],
    ['a merge key in quotes is an ordinary key', '"<<": 1\n', { '<<': 1 }],
    ['only a comment', '# nothing\n', null],
    ['an empty file', '', null],
  ]
  for (const [name, text, expected] of rows) {
    test(name, () => {
      const { definition, faults } = parseText(text, 'f', 'yaml')
      assert.deepEqual(linesOf(faults.list), [])
      assert.deepEqual(definition.value, expected)
    })
  }

  for (const format of ['json', 'yaml'] as const) {
    test(`${format} with a byte order mark`, () => {
      const { definition, faults } = parseText('\uFEFF{ "a": { "b": 1 } }', 'f', format)
      assert.deepEqual(linesOf(faults.list), [])
      assert.deepEqual(definition.value, { a: { b: 1 } })
      assert.deepEqual(definition.source.at(['a', 'b']), { file: 'f', line: 1, column: 15, end: { line: 1, column: 16 } })
    })
  }

  test('a byte order mark does not shift the position of a JSON fault', () =>
    assert.deepEqual(linesOf(parseText('\uFEFF{"a": x}', 'f', 'json').faults.list), ['f:1:7: Not valid JSON: invalid symbol']))

  test('JSON has the same value as in JSON.parse', () => {
    const value = {
      text: 'a "quote" \\ / \u2028 é 👍 \u0000\t',
      numbers: [0, -1, 1.5e300, 1e-7, 9007199254740991],
      nested: [[], {}, [null, true, false]],
      ' ': '# no comment',
      '- key': '&no-anchor *no-alias',
    }
    for (const indent of [undefined, 2, '\t']) {
      const { definition, faults } = parseText(JSON.stringify(value, null, indent), 'f.json', 'json')
      assert.deepEqual(linesOf(faults.list), [])
      assert.deepEqual(definition.value, value)
    }
    assert.deepEqual(parseText('{"a":"\\ud83d\\udc4d\\/"}', 'f.json', 'json').definition.value, { a: '👍/' })
  })
})

describe('positions of parts', () => {
  const text = 'name: Tag\nfields:\n  - name: a\n    limits: { low: 1, high: 2 }\n  - { name: b }\n'
  const { source } = parseText(text, 'models/a.yaml', 'yaml').definition
  const rows: readonly { path: (string | number)[]; part?: 'key'; place: string }[] = [
    { path: [], place: '1:1' },
    { path: ['name'], place: '1:7' },
    { path: ['name'], part: 'key', place: '1:1' },
    { path: ['fields'], part: 'key', place: '2:1' },
    { path: ['fields', 0], place: '3:5' },
    { path: ['fields', 0, 'name'], place: '3:11' },
    { path: ['fields', 0, 'limits', 'high'], place: '4:29' },
    { path: ['fields', 0, 'limits', 'high'], part: 'key', place: '4:23' },
    { path: ['fields', 1, 'name'], place: '5:13' },
    { path: ['fields', 1, 'type'], place: '5:5' },
    { path: ['fields', 7, 'name'], place: '3:3' },
    { path: ['nope'], place: '1:1' },
  ]
  for (const { path, part, place } of rows) {
    test(`${path.join('.') || 'the whole'}${part === undefined ? '' : ', its key'}`, () => {
      const { file, line, column } = source.at(path, part)
      assert.equal(`${file}:${line}:${column}`, `models/a.yaml:${place}`)
    })
  }
})

describe('end of a part', () => {
  const text =
    'name: Tag # c\nfields:\n  - name: a\n    note: |\n      one\n      two\n\n  - { name: b } # d\nlist:\n  - x\n  - "y"\n# end\n'
  const { source } = parseText(text, 'models/a.yaml', 'yaml').definition
  const rows: readonly { path: (string | number)[]; part?: 'key'; end: string }[] = [
    { path: ['name'], end: '1:10' },
    { path: ['name'], part: 'key', end: '1:5' },
    { path: ['fields', 0], end: '6:10' },
    { path: ['fields', 1], end: '8:16' },
    { path: ['fields'], end: '8:16' },
    { path: ['list'], end: '11:8' },
    { path: [], end: '11:8' },
  ]
  for (const { path, part, end: expected } of rows) {
    test(`${path.join('.') || 'the whole'}${part === undefined ? '' : ', its key'}`, () => {
      const { end } = source.at(path, part)
      assert.equal(`${end?.line}:${end?.column}`, expected)
    })
  }
})
