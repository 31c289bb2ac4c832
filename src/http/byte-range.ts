import type { ByteRange } from '../store/blobs/blob-store.ts'

/** Maximum number of ranges of a header that are looked at. */
const MAX_RANGES = 100

/**
 * The part of a file that a header `Range` asks for (RFC 9110, section 14). Ranges that overlap or meet are one.
 *
 * `@hapi/ammo`, which hapi has, is of no use here: it gives the same answer for ranges beyond the file and for malformed ones, a start below zero
 * for `-99` of ten bytes, and has no limit of ranges.
 *
 * @param size of the file, in bytes
 * @returns undefined if the whole file is the answer: the header is absent, malformed, in another unit, or asks for several parts, or the file
 * is empty. `none` if no byte of the file is in the ranges
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const asked = header === undefined || size === 0 ? undefined : rangesIn(header)
  if (asked === undefined) return undefined
  const parts = asked.flatMap((range) => within(range, size)).sort((a, b) => a.start - b.start)
  const [first, ...others] = parts
  if (first === undefined) return 'none'
  let { end } = first
  for (const part of others) {
    if (part.start > end + 1) return undefined
    end = Math.max(end, part.end)
  }
  return { start: first.start, end }
}

/** A range as it is written: `2-4`, `2-` or `-3`. */
interface AskedRange {
  readonly first?: number
  readonly last?: number
}

/** The ranges of a header; undefined for a header that is ignored. Empty elements of a list are (section 5.6.1.2). */
function rangesIn(header: string): readonly AskedRange[] | undefined {
  const [, list] = /^bytes=(.*)$/i.exec(header) ?? []
  const items = list?.split(',', MAX_RANGES + 1).map((item) => item.replace(/^[ \t]+|[ \t]+$/g, '')) ?? []
  const ranges = items.filter((item) => item !== '').map(rangeIn)
  const areValid = ranges.length > 0 && items.length <= MAX_RANGES && ranges.every((range) => range !== undefined)
  return areValid ? (ranges as readonly AskedRange[]) : undefined
}

function rangeIn(text: string): AskedRange | undefined {
  const [, from, to] = /^(\d*)-(\d*)$/.exec(text) ?? []
  if (from === undefined || to === undefined || from + to === '') return undefined
  if (from === '') return { last: Number(to) }
  if (to === '') return { first: Number(from) }
  return Number(from) > Number(to) ? undefined : { first: Number(from), last: Number(to) }
}

/** The bytes of a range that a file has. */
function within({ first, last }: AskedRange, size: number): ByteRange[] {
  if (first === undefined) return last === undefined || last === 0 ? [] : [{ start: Math.max(0, size - last), end: size - 1 }]
  return first >= size ? [] : [{ start: first, end: Math.min(last ?? size, size - 1) }]
}
