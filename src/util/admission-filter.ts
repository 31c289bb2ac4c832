/** In bits; a power of two. */
const SIZE = 1 << 17
/** So many are remembered before all are forgotten: few enough that one in sixteen is let in by mistake at the most. */
const MAX_SEEN = SIZE / 16

/**
 * Keeps out of a cache what is asked for once and not again for a long while, since that would only push out others and leave
 * work to the garbage collector (the doorkeeper of TinyLFU: Einziger, Friedman & Manes, ACM Transactions on Storage 2017).
 * One bit a number, so that one may be taken for another.
 */
export class AdmissionFilter {
  readonly #bits = new Uint32Array(SIZE / 32)
  #seen = 0

  /** True when a number was shown before, lately. */
  admits(number: number): boolean {
    // Knuth's multiplicative hash: its upper bits are the ones that are spread.
    const place = Math.imul(number, 0x9e3779b1) >>> 15
    const [index, bit] = [place >>> 5, 1 << (place & 31)]
    const word = this.#bits[index] ?? 0
    if ((word & bit) !== 0) return true
    if (++this.#seen > MAX_SEEN) {
      this.#bits.fill(0)
      this.#seen = 1
    }
    this.#bits[index] = (this.#bits[index] ?? 0) | bit
    return false
  }
}
