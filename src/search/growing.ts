type Numbers =
  | Int32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>

/**
 * Larger arrays grow in place: to copy those of a million records takes 70 to 150 ms in one step. Smaller ones are copied, since the first
 * searches are slower with arrays that grow in place. In bytes.
 */
const LARGE = 1 << 24
/** Address space that is reserved for such an array. It takes memory only as it grows. In bytes. */
const RESERVED = 1 << 30

/** Returns the array if it has an item of this index, otherwise one with its items and at least twice the length, which replaces it. */
export function roomFor<T extends Numbers>(array: T, index: number): T {
  if (index < array.length) return array
  const ArrayOf = array.constructor as new (of: number | ArrayBuffer, offset?: number, length?: number) => T
  const length = Math.max(64, index + 1, array.length * 2)
  const bytes = length * array.BYTES_PER_ELEMENT
  const { buffer } = array
  // An array that states its length is as fast as others; one that follows its buffer takes up to three times as long to read.
  if (buffer.resizable && bytes <= buffer.maxByteLength) {
    buffer.resize(bytes)
    return new ArrayOf(buffer, 0, length)
  }
  const isReserved = bytes >= LARGE && bytes <= RESERVED
  const larger = isReserved ? new ArrayOf(new ArrayBuffer(bytes, { maxByteLength: RESERVED }), 0, length) : new ArrayOf(length)
  larger.set(array)
  return larger
}
