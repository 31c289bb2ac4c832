/**
 * Maximum number of rows that one statement of a large transaction reads or stores. So its parameters stay small, and it ends long before the
 * statement timeout, however many records the transaction has.
 */
export const MAX_ROWS = 1000

/** Parts of a list, in order, of at most `MAX_ROWS` elements. */
export function* slicesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += MAX_ROWS) yield all.slice(start, start + MAX_ROWS)
}
