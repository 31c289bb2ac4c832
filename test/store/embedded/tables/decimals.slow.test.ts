import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MemoryStore } from '../../../../src/store/embedded/memory-store.ts'
import { canonicalDecimal } from '../../../../src/util/decimal.ts'
import { mulberry32 } from '../../../bench/data/random.ts'
import { valuesOf } from '../../../helpers/values-of.ts'
import { registryOf } from '../../../model/models.ts'

const VALUES = 10_000
/** Digits behind the point, at most. */
const PLACES = 14
const GROUPS = 7

const registry = registryOf({
  name: 'Payment',
  fields: [
    { name: 'amount', type: 'decimal' },
    { name: 'account', type: 'integer' },
  ],
})

const random = mulberry32(77)
const upTo = (end: number): number => Math.floor(random() * end)
const digits = (count: number): string => Array.from({ length: count }, () => upTo(10)).join('')

/** Mostly amounts of a few digits, which are added as doubles, between numerals that no double holds. */
function randomNumeral(): string {
  const sign = upTo(3) === 0 ? '-' : ''
  const integer = [digits(1 + upTo(4)), digits(1 + upTo(15)), digits(10 + upTo(40)), '9007199254740993'][upTo(4)]
  const fraction = ['', `.${digits(2)}`, `.${digits(1 + upTo(PLACES))}`, '.10'][upTo(4)]
  return canonicalDecimal(`${sign}${integer}${fraction}`) ?? assert.fail()
}

interface Payment {
  readonly id: number
  readonly amount: string
  readonly account: number
  /** The amount times 10^PLACES. */
  readonly scaled: bigint
}

function scaledOf(numeral: string): bigint {
  const [integer = '', fraction = ''] = numeral.split('.')
  return BigInt(integer + fraction.padEnd(PLACES, '0'))
}

const payments: readonly Payment[] = Array.from({ length: VALUES }, (_, index) => {
  const amount = randomNumeral()
  return { id: index + 1, amount, account: upTo(GROUPS), scaled: scaledOf(amount) }
})

const ORDER = {
  eq: (a: bigint, b: bigint) => a === b,
  ne: (a: bigint, b: bigint) => a !== b,
  gt: (a: bigint, b: bigint) => a > b,
  gte: (a: bigint, b: bigint) => a >= b,
  lt: (a: bigint, b: bigint) => a < b,
  lte: (a: bigint, b: bigint) => a <= b,
} as const

const sumOf = (some: readonly Payment[]): bigint => some.reduce((sum, { scaled }) => sum + scaled, 0n)

for (const [how, smallTable, rounds] of [
  ['by index', 0, 60],
  ['by scans', VALUES + 1, 10],
] as const) {
  describe(`ten thousand decimals in a store, ${how}`, async () => {
    const store = new MemoryStore(registry, { smallTable })
    const operations = payments.map(({ amount, account }) => {
      return { kind: 'insert', table: 'payment', values: { amount, account } } as const
    })
    assert.ok((await store.transact(operations)).ok)
    const ordering = 'decimal'

    test('compare as their numbers do', async () => {
      for (let round = 0; round < rounds; round++) {
        const bound = round % 3 === 0 ? randomNumeral() : (payments[upTo(VALUES)]?.amount ?? '0')
        for (const [operator, holds] of Object.entries(ORDER)) {
          const filter = { field: 'amount', operator: operator as keyof typeof ORDER, value: bound, ordering } as const
          const { records, total } = await store.find('payment', { filters: [filter], sort: [], offset: 0, limit: VALUES })
          const expected = payments.filter(({ scaled }) => holds(scaled, scaledOf(bound)))
          assert.equal(total, expected.length, `${operator} ${bound}`)
          assert.deepEqual(valuesOf(records, 'id'), valuesOf(expected, 'id'), `${operator} ${bound}`)
        }
      }
    })

    test('are sorted as their numbers', async () => {
      const sort = [{ field: 'amount', order: 'asc', ordering }] as const
      const { records } = await store.find('payment', { filters: [], sort, offset: 0, limit: VALUES })
      const expected = payments.toSorted((a, b) => (a.scaled === b.scaled ? a.id - b.id : a.scaled < b.scaled ? -1 : 1))
      assert.deepEqual(valuesOf(records, 'id'), valuesOf(expected, 'id'))
    })

    test('have exact sums, least and greatest values, in all and by group', async () => {
      for (const groupBy of [[], ['account']]) {
        for (const bound of ['-1e60', '0', '1000', '9007199254740992.5']) {
          const value = canonicalDecimal(bound) ?? assert.fail()
          const filters = [{ field: 'amount', operator: 'gt', value, ordering } as const]
          const ranges = [{ field: 'amount', ordering } as const]
          const groups = await store.aggregate('payment', { filters, groupBy, sums: ['amount'], ranges, limit: 1000 })
          const chosen = payments.filter(({ scaled }) => scaled > scaledOf(value))
          assert.equal(groups?.length, groupBy.length === 0 ? 1 : GROUPS)
          for (const { key, count, sums, ranges: found } of groups ?? []) {
            const own = chosen.filter(({ account }) => groupBy.length === 0 || account === key[0])
            const sorted = own.map(({ scaled }) => scaled).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
            assert.equal(count, own.length)
            assert.equal(sums[0]?.present, own.length)
            assert.equal(scaledOf(sums[0]?.sum ?? ''), sumOf(own), `sum above ${bound}`)
            assert.equal(canonicalDecimal(sums[0]?.sum ?? ''), sums[0]?.sum)
            assert.deepEqual(
              [found[0]?.min, found[0]?.max].map((each) => scaledOf(String(each))),
              [sorted[0], sorted.at(-1)],
            )
          }
        }
      }
    })
  })
}
