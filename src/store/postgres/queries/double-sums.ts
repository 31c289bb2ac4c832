import { nearestDouble } from '../../../util/numbers/exact-sums.ts'
import { type Sql, sql } from '../sql.ts'

/**
 * The sum of a field of doubles is exact, and rounded once, as on the embedded engine: PostgreSQL adds up the significands of each exponent
 * as integers. A double is significand × 2 ** (exponent − 1075) (IEEE 754).
 */
export interface PartialSum {
  readonly exponent: number
  readonly significands: bigint
}

const bitsOf = (at: Sql): Sql => sql`('x' || encode(float8send(${at}), 'hex'))::bit(64)::bigint`

/** The exponent of a double, from 1. Null for null, infinity and NaN, which JSON does not have. */
export const exponentOf = (at: Sql): Sql =>
  sql`nullif(case when ${at} is not null then greatest((${bitsOf(at)} >> 52) & 2047, 1) end, 2047)`

/** The significand with the sign of the double. */
export function significandOf(at: Sql): Sql {
  const bits = bitsOf(at)
  const fraction = sql`(${bits} & 4503599627370495)`
  const size = sql`(${fraction} + case when (${bits} >> 52) & 2047 > 0 then 4503599627370496 else 0 end)`
  return sql`case when ${at} < 0 then -${size} else ${size} end`
}

/** The double nearest to a sum; of two, the even one. */
export const sumOfDoubles = (parts: readonly PartialSum[]): number =>
  nearestDouble(parts.reduce((sum, { exponent, significands }) => sum + (significands << BigInt(exponent - 1)), 0n))
