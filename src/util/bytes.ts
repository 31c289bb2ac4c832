const UNITS: readonly (readonly [name: string, bytes: number])[] = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
]

/** A number, and a unit or none. */
const SIZE = /^(\d{1,15}(?:\.\d{1,3})?)(?: ?(KiB|MiB|GiB))?$/

/** Parses a size: a whole number of bytes, or a text such as `8 MiB`, `1.5GiB` or `1024`. Undefined if it is none. */
export function parseBytes(size: unknown): number | undefined {
  if (typeof size === 'number') return Number.isSafeInteger(size) && size >= 0 ? size : undefined
  const [, amount, unit] = typeof size === 'string' ? (SIZE.exec(size) ?? []) : []
  if (amount === undefined || (unit === undefined && amount.includes('.'))) return undefined
  const bytes = Number(amount) * (UNITS.find(([name]) => name === unit)?.[1] ?? 1)
  return Math.floor(bytes) <= Number.MAX_SAFE_INTEGER ? Math.floor(bytes) : undefined
}

/** A size for people, such as `8 MiB`, `1.5 KiB` or `1 byte`. More than two decimals are cut off, so that a limit is not said to be larger. */
export function formatBytes(bytes: number): string {
  for (const [name, unit] of UNITS) {
    if (bytes >= unit) return `${Math.floor((bytes / unit) * 100) / 100} ${name}`
  }
  return bytes === 1 ? '1 byte' : `${bytes} bytes`
}
