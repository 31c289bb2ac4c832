type Numbers = Int32Array | Uint16Array | Uint8Array | Float64Array | Float32Array

/**
 * Returns the array if it has an item of this index, otherwise a copy of twice the length. Discarded arrays are large garbage,
 * so growth should be rare.
 */
export function roomFor<T extends Numbers>(array: T, index: number): T {
  if (index < array.length) return array
  const larger = new (array.constructor as new (length: number) => T)(Math.max(64, index + 1, array.length * 2))
  larger.set(array)
  return larger
}
