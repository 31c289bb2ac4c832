import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LongNumeral } from '../../src/util/numeral.ts'
import { parseStrictJson, SENT_LIMITS } from '../../src/util/strict-json.ts'
import { turnsDuring } from '../helpers/turns.ts'
import { valuesOf } from '../helpers/values-of.ts'

const parse = async (text: string) => parseStrictJson(text, 0)

describe('strict JSON', () => {
  for (const text of [
    'null',
    '1',
    '"a"',
    '[]',
    '{"a":[{"b":"\\"[{"}]}',
    ' {"a" : 1 , "b" : {"a" : 2}} ',
    '"\\ud83d\\udc4d"',
    '{"__proto__":1}',
  ]) {
    test(`equals JSON.parse: ${text}`, async () => assert.deepEqual(await parse(text), { value: JSON.parse(text), faults: [] }))
  }

  for (const text of [
    '',
    '{',
    '[1,]',
    '"a',
    '"a\\',
    '{"a":1}}',
    '\ufeff{}',
    '{"a":01}',
    "{'a':1}",
    '// a\n1',
    '"\u0000"',
    'NaN',
    '1e',
  ]) {
    test(`is a SyntaxError: ${JSON.stringify(text)}`, () => assert.rejects(parse(text), SyntaxError))
  }

  test('reports the position of each fault', async () => {
    const { faults } = await parse('{"a":{"b":[1e999,{"c":"\\u0000","c":1}]},"\\ud800":1}')
    assert.deepEqual(valuesOf(faults, 'path'), [['a', 'b', 0], ['a', 'b', 1, 'c'], ['a', 'b', 1, 'c'], ['\ud800']])
  })

  test('keeps the digits of numbers that JavaScript writes with others', async () => {
    const { value, faults } = await parse('{"a":[1.5,{"b":1152921504606846976}],"__proto__":1.2345678901234567e18,"c":1e21}')
    assert.deepEqual(faults, [])
    assert.deepEqual(Object.entries(value as object), [
      ['a', [1.5, { b: new LongNumeral('1152921504606846976') }]],
      ['__proto__', new LongNumeral('1.2345678901234567e18')],
      ['c', 1e21],
    ])
    assert.deepEqual((await parse('1152921504606846976')).value, new LongNumeral('1152921504606846976'))
    assert.equal(JSON.stringify(value), '{"a":[1.5,{"b":1152921504606847000}],"__proto__":1234567890123456800,"c":1e+21}')
  })

  test('finds a number without regard to those before it', async () => {
    for (const first of ['1e21', '0.30000000000000004', '1e-7', '12e3', '[1E+2]']) {
      const { faults } = await parse(`[${first},-9007199254740993]`)
      assert.deepEqual(faults, [{ path: [1], problem: 'is a number that cannot be kept exactly: -9007199254740993' }], first)
    }
  })

  test('may be nested 32 deep, and as much deeper as its envelope is', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    assert.deepEqual((await parseStrictJson(nested(32), 0)).faults, [])
    assert.equal((await parseStrictJson(nested(33), 0)).faults.length, 1)
    assert.deepEqual((await parseStrictJson(nested(36), 4)).faults, [])
    assert.equal((await parseStrictJson(nested(37), 4)).faults.length, 1)
  })

  for (const [name, text] of [
    ['brackets', '['.repeat(5_000_000)],
    ['escapes', `"${'\\\\'.repeat(2_500_000)}"`],
    ['quotes behind backslashes', `[${'"\\\\\\"",'.repeat(600_000)}1]`],
    ['faults', `[${'1e999,'.repeat(800_000)}1]`],
    ['one key many times', `{${'"a":1,'.repeat(800_000)}"a":1}`],
    ['exact numbers', `[${'1152921504606846976,'.repeat(250_000)}1]`],
    ['shortest numbers', `[${'1.2345678901234567e-300,'.repeat(200_000)}1]`],
    ['a number', `[${'9'.repeat(2_500_000)}.${'9'.repeat(2_500_000)}]`],
    ['zeros', `[${`0.${'0'.repeat(299)}1,`.repeat(15_000)}1]`],
  ] as const) {
    test(`takes linear time for 5 MB: ${name}`, async () => {
      const start = performance.now()
      const { faults } = await parse(text)
      const took = performance.now() - start
      assert.ok(took < 5000, `it took ${took} ms`)
      assert.ok(faults.length <= 100, `${faults.length} faults are told of`)
    })
  }

  for (const [name, item, count = 99_000] of [
    ['numbers with exponents', '1.25e300'],
    ['numbers of many digits', '1152921504606846976'],
    ['strings with escapes', '"\\u0000"'],
    ['objects with a name twice', '{"a":1,"a":2}', 49_000],
  ] as const) {
    test(`lets other work run while it reads many ${name}`, async () => {
      const text = `[${`${item},`.repeat(count)}1]`
      assert.ok((await turnsDuring(() => parseStrictJson(text, 0, SENT_LIMITS).catch(() => {}))) > 1)
    })
  }

  test('is refused where its values or members are too many, whatever follows them', async () => {
    for (const [text, problem] of [
      [`[${'1.25e300,'.repeat(400_000)}`, 'has more than 300000 values'],
      [`{${'"a":1,'.repeat(100_001)}`, 'has more than 100000 members'],
    ] as const) {
      const { faults } = await parseStrictJson(text, 0, SENT_LIMITS)
      assert.deepEqual(faults, [{ path: [], problem }])
    }
  })
})
