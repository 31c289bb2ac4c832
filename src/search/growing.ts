type Numbers = Int32Array | Uint16Array | Uint8Array | Float64Array | Float32Array

/**
 * The array itself when it has an item of this index, or else a copy that is twice as long: what is left behind makes the garbage
 * collector look through everything, so that should be seldom.
 */
export function roomFor<T extends Numbers>(array: T, index: number): T {
  if (index < array.length) return array
  const larger = new (array.constructor as new (length: number) => T)(Math.max(64, index + 1, array.length * 2))
  larger.set(array)
  return larger
}
