/**
 * A sum of doubles that is rounded once, at the end, so that it does not depend on the order of the numbers (Shewchuk, Adaptive
 * Precision Floating-Point Arithmetic, 1997; `math.fsum` in Python).
 */
export class DoubleSum {
  /** Numbers of ascending size without common bits, whose sum is exact. */
  readonly #partials: number[] = []

  add(number: number): void {
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
