/** Maximum number of digits. */
export const MAX_DIGITS = 100

const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i

/**
 * The shortest numeral of the same number, without an exponent: `-0.50` and `-5e-1` give `-0.5`. Undefined for text that is no
 * number, or has more than `MAX_DIGITS` digits.
 */
export function canonicalDecimal(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMERAL.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '') return undefined
  const point = whole.length + Number(exponent)
  if (Math.max(point, digits.length - Math.min(point, 0)) > 10 * MAX_DIGITS) return undefined
  const padded = '0'.repeat(Math.max(0, -point)) + digits.padEnd(point, '0')
  const place = Math.max(0, point)
  const integer = padded.slice(0, place).replace(/^0+(?=.)/, '') || '0'
  const rest = padded.slice(place).replace(/0+$/, '')
  if (integer.length + rest.length > MAX_DIGITS) return undefined
  const shortest = rest === '' ? integer : `${integer}.${rest}`
  return sign === '-' && shortest !== '0' ? `-${shortest}` : shortest
}

/** Number of digits behind the point of a canonical numeral. */
export const decimalPlaces = (numeral: string): number => partsOf(numeral).fraction.length

/**
 * A text by which canonical numerals are ordered, by code units, as their numbers are: the sign, the number of integer digits, the
 * digits. The digits of negative numbers are complemented.
 */
export function decimalKey(numeral: string): string {
  const { isNegative, integer, fraction } = partsOf(numeral)
  if (!isNegative) return `p${String.fromCharCode(LENGTHS + integer.length)}${integer}.${fraction}`
  return `n${String.fromCharCode(LENGTHS - integer.length)}${complement(integer)}.${complement(fraction)}~`
}

/** Code unit in the middle of those that stand for numbers of digits. */
const LENGTHS = 0x200

const complement = (digits: string): string => digits.replace(/\d/g, (digit) => String(9 - Number(digit)))

function partsOf(numeral: string): { isNegative: boolean; integer: string; fraction: string } {
  const isNegative = numeral.startsWith('-')
  const [integer = '', fraction = ''] = (isNegative ? numeral.slice(1) : numeral).split('.')
  return { isNegative, integer, fraction }
}

/** Digits of a number that a double holds exactly, whatever they are. */
const SAFE_DIGITS = 15

/** An exact sum of canonical numerals. */
export class DecimalSum {
  /** Sum of the short numerals without their points, which are added as doubles since that is faster. */
  #short = new IntegerSum()
  #long = 0n
  /** Digits behind the point that both parts of the sum have. */
  #places = 0
  /** 10 to the power of `#places`. */
  #factor = 1

  add(numeral: string): void {
    const point = numeral.indexOf('.')
    const places = point === -1 ? 0 : numeral.length - point - 1
    if (places > this.#places) this.#widen(places)
    const length = point === -1 ? numeral.length : numeral.length - 1
    // The product is off by less than a half, so that rounding restores the integer.
    if (length + this.#places - places <= SAFE_DIGITS) this.#short.add(Math.round(Number(numeral) * this.#factor))
    else this.#long += BigInt(numeral.replace('.', '')) * 10n ** BigInt(this.#places - places)
  }

  /** The sum, canonical. */
  get value(): string {
    return numeralOf(this.#long + this.#short.value, this.#places)
  }

  #widen(places: number): void {
    this.#long = (this.#long + this.#short.value) * 10n ** BigInt(places - this.#places)
    this.#short = new IntegerSum()
    this.#places = places
    this.#factor = 10 ** places
  }
}

/** A canonical numeral divided by a number of items, rounded half away from zero to so many further places. */
export function decimalQuotient(numeral: string, count: number, furtherPlaces: number): string {
  const places = decimalPlaces(numeral) + furtherPlaces
  const scaled = BigInt(numeral.replace('.', '')) * 10n ** BigInt(furtherPlaces)
  const [size, divisor] = [scaled < 0n ? -scaled : scaled, BigInt(count)]
  const rounded = (2n * size + divisor) / (2n * divisor)
  return numeralOf(scaled < 0n ? -rounded : rounded, places)
}

function numeralOf(unscaled: bigint, places: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(places + 1, '0')
  const place = digits.length - places
  const fraction = digits.slice(place).replace(/0+$/, '')
  const size = fraction === '' ? digits.slice(0, place) : `${digits.slice(0, place)}.${fraction}`
  return unscaled < 0n && size !== '0' ? `-${size}` : size
}

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
