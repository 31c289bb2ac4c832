import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faultsIn, parametersOf } from './queries.ts'

describe('unknown parameters', () => {
  const rows: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
    ['page=1', {}],
    ['', {}],
    ['pag=1', { pag: ["Unknown query parameter 'pag'; did you mean 'page'?"] }],
    ['Page=1', { Page: ["Unknown query parameter 'Page'; did you mean 'page'?"] }],
    ['weather=1', { weather: ["Unknown query parameter 'weather' (known: page, filters)"] }],
    ['pag=1&pag=2', { pag: ["Unknown query parameter 'pag'; did you mean 'page'?"] }],
    ['constructor=1', { constructor: ["Unknown query parameter 'constructor' (known: page, filters)"] }],
    [
      'a=1&filtrs=2',
      {
        a: ["Unknown query parameter 'a' (known: page, filters)"],
        filtrs: ["Unknown query parameter 'filtrs'; did you mean 'filters'?"],
      },
    ],
  ]
  for (const [query, faults] of rows) {
    test(query || '(none)', () => assert.deepEqual(faultsIn(parametersOf(query, 'page', 'filters')), faults))
  }

  test('__proto__ is reported like any other', () => {
    const faults = faultsIn(parametersOf('__proto__=1', 'page'))
    assert.deepEqual(Object.keys(faults), ['__proto__'])
    assert.equal(Reflect.get({}, 'page'), undefined)
  })
})

describe('one value', () => {
  test('there, empty, absent', () => {
    const parameters = parametersOf('a=1&b=', 'a', 'b', 'c')
    assert.deepEqual([parameters.one('a'), parameters.one('b'), parameters.one('c')], ['1', '', undefined])
    assert.deepEqual(faultsIn(parameters), {})
  })

  for (const query of ['a=1&a=2&a=3', 'a=1&a=1&a=1']) {
    test(`${query} is too many`, () => {
      const parameters = parametersOf(query, 'a')
      parameters.one('a')
      assert.deepEqual(faultsIn(parameters), { a: ["'a' is given 3 times; give it once"] })
    })
  }

  test('all values of one that may be repeated', () => {
    const parameters = parametersOf('a=2&b=0&a=1&a=', 'a', 'b')
    assert.deepEqual(parameters.all('a'), ['2', '1', ''])
    assert.deepEqual(parameters.all('c'), [])
    assert.deepEqual(faultsIn(parameters), {})
  })
})

describe('names between commas', () => {
  const rows: readonly (readonly [string, string[] | undefined, boolean])[] = [
    ['', undefined, false],
    ['n=a', ['a'], false],
    ['n=a,b', ['a', 'b'], false],
    ['n=%20a%20,%20b', ['a', 'b'], false],
    ['n=a,a', ['a', 'a'], false],
    ['n=a&n=b,c', ['a', 'b', 'c'], false],
    ['n=a&n=', ['a'], true],
    ['n=', [], true],
    ['n=,', [], true],
    ['n=a,,b', ['a', 'b'], true],
    ['n=a,', ['a'], true],
    ['n=%20', [], true],
  ]
  for (const [query, names, faulty] of rows) {
    test(query || '(absent)', () => {
      const parameters = parametersOf(query, 'n')
      assert.deepEqual(parameters.names('n'), names)
      const message = "'n' holds an empty name; write names with commas between them"
      assert.deepEqual(faultsIn(parameters), faulty ? { n: [message] } : {})
    })
  }
})

describe('integers, never clamped', () => {
  const limited = { absent: 20, min: 1, max: 100 }
  const open = { absent: 1, min: 1 }
  const rows: readonly (readonly [string, number | undefined, number | undefined])[] = [
    // what is sent, as read from 1 to 100, as read from 1; undefined is a fault
    ['1', 1, 1],
    ['100', 100, 100],
    ['007', 7, 7],
    ['101', undefined, 101],
    ['0', undefined, undefined],
    ['9007199254740991', undefined, 9007199254740991],
    ['9007199254740992', undefined, undefined],
    ['99999999999999999', undefined, undefined],
    ...['-1', '+1', '1.0', '1.5', '1e1', '0x1', '', ' 1', 'x', '١', 'NaN', 'Infinity', 'null'].map(
      (text) => [text, undefined, undefined] as const,
    ),
  ]
  for (const [text, small, large] of rows) {
    test(JSON.stringify(text), () => {
      const query = `n=${encodeURIComponent(text)}`
      for (const [bounds, expected, range] of [
        [limited, small, 'from 1 to 100'],
        [open, large, '1 or more'],
      ] as const) {
        const parameters = parametersOf(query, 'n')
        const value = parameters.integer('n', bounds)
        if (expected === undefined)
          assert.deepEqual(faultsIn(parameters), { n: [`'n' must be an integer ${range}, not '${text}'`] })
        else assert.deepEqual([value, faultsIn(parameters)], [expected, {}])
      }
    })
  }

  test('absent', () => {
    const parameters = parametersOf('', 'n')
    assert.equal(parameters.integer('n', limited), 20)
    assert.deepEqual(faultsIn(parameters), {})
  })
})

describe('a flag', () => {
  for (const [query, value, faults] of [
    ['', false, {}],
    ['n=true', true, {}],
    ['n=false', false, {}],
    ['n=1', false, { n: ["'n' must be true or false, not '1'"] }],
    ['n=TRUE', false, { n: ["'n' must be true or false, not 'TRUE'"] }],
    ['n=', false, { n: ["'n' must be true or false, not ''"] }],
    ['n=true&n=true', true, { n: ["'n' is given 2 times; give it once"] }],
  ] as const) {
    test(`'${query}'`, () => {
      const parameters = parametersOf(query, 'n')
      assert.deepEqual([parameters.flag('n'), faultsIn(parameters)], [value, faults])
    })
  }
})

test('several errors of one parameter are reported together', () => {
  const parameters = parametersOf('n=x&n=y', 'n')
  parameters.integer('n', { absent: 1, min: 1 })
  parameters.fault('n', 'And that is not all')
  assert.deepEqual(faultsIn(parameters).n, [
    "'n' is given 2 times; give it once",
    "'n' must be an integer 1 or more, not 'x'",
    'And that is not all',
  ])
})
