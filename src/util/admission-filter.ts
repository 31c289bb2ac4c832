/** Number of bits; a power of two. */
const SIZE = 1 << 17
/** Number of keys remembered before a reset. At most one in sixteen is then admitted by mistake. */
const MAX_SEEN = SIZE / 16

/**
 * Admission filter for a cache: rejects keys seen only once recently (doorkeeper of TinyLFU: Einziger, Friedman & Manes, ACM
 * Transactions on Storage 2017). One bit for a key, so keys may collide.
 */
export class AdmissionFilter {
  readonly #bits = new Uint32Array(SIZE / 32)
  #seen = 0

  /** True if the key was seen recently. */
  admits(number: number): boolean {
    // Knuth's multiplicative hash; the upper bits are well distributed.
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
