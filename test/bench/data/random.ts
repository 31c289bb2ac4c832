/** Returns pseudo-random numbers from 0 (included) to 1 (excluded), the same for the same seed. */
export type Random = () => number

/** The generator mulberry32 by Tommy Ettinger: 32 bits of state, enough for realistic test data. */
export function mulberry32(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** An integer from `min` to `max`, both included. */
export const integer = (random: Random, min: number, max: number): number => min + Math.floor(random() * (max - min + 1))

/** A random item of a list that is not empty. */
export function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[Math.floor(random() * list.length)]
  if (item === undefined) throw new Error('There is nothing to pick from')
  return item
}
