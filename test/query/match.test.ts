import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matcher } from '../../src/query/match.ts'
import type { FieldFilter } from '../../src/query/plan.ts'
import type { Json } from '../../src/util/json.ts'

type Condition =
  | readonly [Exclude<FieldFilter['operator'], 'in' | 'isnull'>, Json]
  | readonly ['in', readonly Json[]]
  | readonly ['isnull', boolean]

function filterOf([operator, value]: Condition): FieldFilter {
  if (operator === 'in') return { field: 'a', operator, values: value }
  return operator === 'isnull' ? { field: 'a', operator, value } : { field: 'a', operator, value }
}

describe('conditions', () => {
  const rows: readonly { is: Condition; yes: readonly Json[]; no: readonly Json[] }[] = [
    { is: ['eq', 'x'], yes: ['x', ['x'], ['y', 'x']], no: ['X', 'xx', '', null, [], ['y'], 0] },
    { is: ['eq', 0], yes: [0, [0]], no: ['0', '', false, null, [], 1] },
    { is: ['eq', false], yes: [false], no: [true, null, 0, ''] },
    { is: ['eq', ''], yes: [''], no: [null, ' ', [], 0] },
    { is: ['ne', 'x'], yes: ['y', '', null, [], ['y']], no: ['x', ['x'], ['y', 'x']] },
    { is: ['ne', 0], yes: [1, null, '0', false], no: [0] },
    { is: ['in', ['a', 'b']], yes: ['a', 'b', ['b'], ['c', 'a']], no: ['c', null, [], ['c'], ''] },
    { is: ['in', [1, 2]], yes: [1, 2, [2, 9]], no: [3, '1', null, []] },
    { is: ['in', []], yes: [], no: ['a', null, []] },
    { is: ['isnull', true], yes: [null, []], no: ['', 0, false, 'x', [1], {}] },
    { is: ['isnull', false], yes: ['', 0, false, 'x', [1], {}], no: [null, []] },
    { is: ['gt', 3], yes: [4, 3.1], no: [3, 2, null, '4', [4]] },
    { is: ['gte', 3], yes: [3, 4], no: [2.9, null, '3'] },
    { is: ['lt', 3], yes: [2, -1, 0], no: [3, 4, null, '2'] },
    { is: ['lte', 3], yes: [3, 2], no: [3.1, null] },
    { is: ['gt', 'b'], yes: ['c', 'ba'], no: ['b', 'a', 'B', '', null] },
    { is: ['lte', '2024-05-01'], yes: ['2024-05-01', '2023-12-31'], no: ['2024-05-02', null] },
    { is: ['icontains', 'eL'], yes: ['Hello', 'EL', 'el'], no: ['Hlo', '', null, 5, ['el']] },
    { is: ['icontains', 'É'], yes: ['café'], no: ['cafe'] },
    { is: ['icontains', '.*'], yes: ['a.*b'], no: ['ab'] },
    { is: ['icontains', ''], yes: ['', 'x'], no: [null] },
    { is: ['startswith', 'He'], yes: ['He', 'Hello'], no: ['hello', 'oHe', '', null] },
    { is: ['endswith', 'lo'], yes: ['lo', 'Hello'], no: ['HelLO', 'lol', '', null] },
  ]
  for (const { is, yes, no } of rows) {
    const holds = matcher(filterOf(is))
    test(`${is[0]} ${JSON.stringify(is[1])}`, () => {
      for (const value of yes) assert.equal(holds({ id: 1, a: value }), true, JSON.stringify(value))
      for (const value of no) assert.equal(holds({ id: 1, a: value }), false, JSON.stringify(value))
    })
  }
})

describe('a field that was never set is null', () => {
  const rows: readonly (readonly [Condition, boolean])[] = [
    [['isnull', true], true],
    [['isnull', false], false],
    [['eq', 'x'], false],
    [['ne', 'x'], true],
    [['lt', 5], false],
  ]
  for (const [is, expected] of rows) test(`${is[0]} ${is[1]}`, () => assert.equal(matcher(filterOf(is))({ id: 1 }), expected))
})
