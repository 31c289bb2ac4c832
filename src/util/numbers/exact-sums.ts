/** Digits of a significand. */
const PRECISION = 53
/** The least double is 2 ** -1074. */
const LEAST = 1074

/** The double nearest to a number of units of 2 ** -1074; of two, the even one. Infinite beyond all doubles. */
export function nearestDouble(units: bigint): number {
  const size = units < 0n ? -units : units
  const surplus = Math.max(0, size.toString(2).length - PRECISION)
  const [kept, rest] = [size >> BigInt(surplus), size & ((1n << BigInt(surplus)) - 1n)]
  const half = surplus === 0 ? 0n : 1n << BigInt(surplus - 1)
  const isUp = surplus > 0 && (rest > half || (rest === half && kept % 2n === 1n))
  const rounded = Number(isUp ? kept + 1n : kept) * 2 ** (surplus - LEAST)
  return units < 0n ? -rounded : rounded
}

/** A finite double in units of 2 ** -1074, the inverse of `nearestDouble`. */
function unitsOf(number: number): bigint {
  const exponent = Math.max(0, Math.floor(Math.log2(Math.abs(number) || 1)) + LEAST - PRECISION)
  // Exact: the significand keeps all its digits. In two steps, since 2 ** 1074 is no double.
  return BigInt(number * 2 ** (LEAST - exponent - PRECISION) * 2 ** PRECISION) << BigInt(exponent)
}

/** Sums of doubles below this size cannot exceed the largest double, up to 2 ** 64 of them. */
const LARGE = 2 ** 960

/**
 * A sum of doubles that is rounded once, at the end, so that it does not depend on the order of the numbers (Shewchuk, Adaptive
 * Precision Floating-Point Arithmetic, 1997; `math.fsum` in Python).
 */
export class DoubleSum {
  /** The sum of numbers so large that partial sums might exceed the largest double, in units of 2 ** -1074. */
  #large = 0n
  /** Numbers of ascending size without common bits, whose sum is exact. */
  readonly #partials: number[] = []

  add(number: number): void {
    if (Math.abs(number) >= LARGE) {
      this.#large += unitsOf(number)
      return
    }
    let carried = number
    let kept = 0
    for (const partial of this.#partials) {
      const [large, small] = Math.abs(carried) < Math.abs(partial) ? [partial, carried] : [carried, partial]
      const high = large + small
      const low = small - (high - large)
      if (low !== 0) this.#partials[kept++] = low
      carried = high
    }
    this.#partials.length = kept
    this.#partials.push(carried)
  }

  /** The double nearest to the sum; of two, the even one. */
  get value(): number {
    if (this.#large !== 0n) return nearestDouble(this.#partials.reduce((sum, each) => sum + unitsOf(each), this.#large))
    const partials = [...this.#partials]
    let high = partials.pop() ?? 0
    let low = 0
    while (low === 0 && partials.length > 0) {
      const next = partials.pop() ?? 0
      const sum = high + next
      low = next - (sum - high)
      high = sum
    }
    // The rest decides where the sum lies halfway between two doubles.
    const rest = partials.at(-1) ?? 0
    const isHalfway = low !== 0 && rest !== 0 && low < 0 === rest < 0
    const rounded = high + 2 * low
    return isHalfway && rounded - high === 2 * low ? rounded : high
  }
}

/** An exact sum of integers that doubles hold exactly. The sum itself may be greater. */
export class IntegerSum {
  #part = 0
  #rest = 0n

  add(integer: number): void {
    const next = this.#part + integer
    if (Number.isSafeInteger(next)) {
      this.#part = next
      return
    }
    this.#rest += BigInt(this.#part)
    this.#part = integer
  }

  get value(): bigint {
    return this.#rest + BigInt(this.#part)
  }
}
