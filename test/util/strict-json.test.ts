import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseStrictJson } from '../../src/util/strict-json.ts'

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
    assert.deepEqual(
      faults.map(({ path }) => path),
      [['a', 'b', 0], ['a', 'b', 1, 'c'], ['a', 'b', 1, 'c'], ['\ud800']],
    )
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
})
