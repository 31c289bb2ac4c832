import type { FormValues } from './values.ts'

/** A row of a table with what it is sorted by. */
interface Placed {
  readonly key: string
  readonly values: FormValues
}

/**
 * The new positions of rows after one of them has changed places with a neighbour. The rows keep the positions that there are; those that
 * are missing or occur twice are numbered from 1.
 *
 * @param rows all rows in their order
 * @returns positions by key, of the rows whose position changes; undefined if the row cannot move this way
 */
export function movedRows(
  rows: readonly Placed[],
  key: string,
  step: 1 | -1,
  position: string,
): { readonly order: readonly string[]; readonly positions: ReadonlyMap<string, number> } | undefined {
  const at = rows.findIndex((row) => row.key === key)
  const row = rows[at]
  const other = rows[at + step]
  if (row === undefined || other === undefined) return undefined
  const order = rows.with(at, other).with(at + step, row)
  const present = rows.map(({ values }) => values[position])
  const isOrdered = present.every((each, index) => {
    const before = index === 0 ? Number.NEGATIVE_INFINITY : present[index - 1]
    return typeof each === 'number' && typeof before === 'number' && each > before
  })
  const positions = new Map<string, number>()
  for (const [index, each] of order.entries()) {
    const next = isOrdered ? Number(present[index]) : index + 1
    if (each.values[position] !== next) positions.set(each.key, next)
  }
  return { order: order.map((each) => each.key), positions }
}

/** The position of a row that is added at the end. @param highest that of rows that are not shown */
export const nextPosition = (rows: readonly Placed[], position: string, highest = 0): number =>
  Math.max(0, highest, ...rows.map(({ values }) => (typeof values[position] === 'number' ? values[position] : 0))) + 1

/** The exact sum of numbers and decimals, as text; values that are none are left out. */
export function exactSum(values: readonly unknown[]): string {
  const numerals = values.flatMap((value) => {
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
    return /^-?\d+(?:\.\d+)?$/.test(text) ? [text] : []
  })
  const places = Math.max(0, ...numerals.map((each) => (each.split('.')[1] ?? '').length))
  const total = numerals.reduce((sum, each) => {
    const [whole = '0', decimals = ''] = each.split('.')
    return sum + BigInt(whole + decimals.padEnd(places, '0'))
  }, 0n)
  const digits = String(total < 0n ? -total : total).padStart(places + 1, '0')
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return total < 0n ? `-${text}` : text
}
