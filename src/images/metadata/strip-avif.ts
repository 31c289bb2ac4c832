import { type ByteSource, MalformedImage } from './byte-source.ts'
import { Pieces } from './pieces.ts'

/** Maximum number of boxes, items and extents, which bounds the work for a hostile file. */
const MAX_PARTS = 10_000

/** A box of the ISO base media file format (ISO/IEC 14496-12). */
interface Box {
  readonly type: string
  readonly start: number
  /** Where its content begins. */
  readonly body: number
  readonly end: number
}

/** Bytes of the file. */
interface Range {
  readonly from: number
  readonly to: number
}

/**
 * An AVIF file whose metadata is overwritten by zeros in its place: EXIF, XMP, and boxes of no standard. Offsets in the file stay right. The
 * orientation is a property of the image, so it stays.
 *
 * @throws {MalformedImage}
 */
export function stripAvif(source: ByteSource): Pieces {
  const top = boxesIn(source, 0, source.size)
  const metas = top.filter(({ type }) => type === 'meta')
  if (top[0]?.type !== 'ftyp') throw new MalformedImage('no AVIF')
  const pieces = new Pieces(source)
  let at = 0
  const ranges = [...metas.flatMap((meta) => metadataOf(source, meta)), ...foreignBoxes(source, top)]
  for (const { from, to } of ranges.sort((a, b) => a.from - b.from)) {
    if (to <= at) continue
    pieces.keep(at, Math.max(at, from))
    pieces.blank(Math.max(at, from), to)
    at = to
  }
  pieces.keep(at, source.size)
  return pieces
}

function boxesIn(source: ByteSource, from: number, to: number): readonly Box[] {
  const boxes: Box[] = []
  for (let start = from; start + 8 <= to; ) {
    const short = source.number(start, 4)
    const length = short === 1 ? source.number(start + 8, 8) : short === 0 ? to - start : short
    const body = start + (short === 1 ? 16 : 8)
    const end = start + length
    if (end < body || end > to || boxes.length === MAX_PARTS) throw new MalformedImage('a box is longer than the file')
    boxes.push({ type: source.text(start + 4, 4), start, body, end })
    start = end
  }
  return boxes
}

/** Contents of boxes that only some program knows, and of the user data of a sequence. */
function foreignBoxes(source: ByteSource, top: readonly Box[]): Range[] {
  const inFilm = top.filter(({ type }) => type === 'moov').flatMap(({ body, end }) => boxesIn(source, body, end))
  const foreign = [...top.filter(({ type }) => type === 'uuid'), ...inFilm.filter(({ type }) => type === 'udta')]
  return foreign.map(({ body, end }) => ({ from: body, to: end }))
}

/** Where the items with EXIF and XMP are (ISO/IEC 23008-12, annex A). */
function metadataOf(source: ByteSource, meta: Box): Range[] {
  const parts = boxesIn(source, meta.body + 4, meta.end)
  const infos = parts.filter(({ type }) => type === 'iinf').flatMap((box) => infosIn(source, box))
  const metadata = new Set(infos.flatMap((info) => metadataItem(source, info) ?? []))
  if (metadata.size === 0) return []
  const data = parts.find(({ type }) => type === 'idat')
  return parts.filter(({ type }) => type === 'iloc').flatMap((box) => extentsOf(source, box, metadata, data))
}

function infosIn(source: ByteSource, { body, end }: Box): readonly Box[] {
  return boxesIn(source, body + (source.byte(body) === 0 ? 6 : 8), end).filter(({ type }) => type === 'infe')
}

/** The id of an item with metadata; undefined for others. */
function metadataItem(source: ByteSource, { body }: Box): number | undefined {
  const version = source.byte(body)
  const width = version === 2 ? 2 : version === 3 ? 4 : undefined
  if (width === undefined) return undefined
  const type = source.text(body + 4 + width + 2, 4)
  return type === 'Exif' || type === 'mime' || type === 'uri ' ? source.number(body + 4, width) : undefined
}

/** The extents of items, as the box `iloc` locates them. */
function extentsOf(source: ByteSource, { body, end }: Box, items: ReadonlySet<number>, data: Box | undefined): Range[] {
  const version = source.byte(body)
  const [sizes, moreSizes] = [source.byte(body + 4), source.byte(body + 5)]
  const [offsetSize, lengthSize, baseSize] = [sizes >> 4, sizes & 15, moreSizes >> 4]
  const indexSize = version === 0 ? 0 : moreSizes & 15
  if (version > 2 || [offsetSize, lengthSize, baseSize, indexSize].some((size) => ![0, 4, 8].includes(size))) {
    throw new MalformedImage('an unknown table of items')
  }
  const idSize = version === 2 ? 4 : 2
  const found: Range[] = []
  let at = body + 6
  const next = (size: number): number => {
    if (at + size > end) throw new MalformedImage('the table of items is incomplete')
    at += size
    return source.number(at - size, size)
  }
  let parts = 0
  for (let left = next(idSize); left > 0; left--) {
    const item = next(idSize)
    const method = version === 0 ? 0 : next(2) & 15
    next(2)
    const base = next(baseSize)
    for (let extents = next(2); extents > 0; extents--) {
      if (++parts > MAX_PARTS) throw new MalformedImage('the table of items is too long')
      next(indexSize)
      const [offset, length] = [next(offsetSize), next(lengthSize)]
      if (!items.has(item)) continue
      const origin = method === 0 ? 0 : method === 1 ? data?.body : undefined
      if (origin === undefined) throw new MalformedImage('metadata is in an unknown place')
      const from = origin + base + offset
      const to = length === 0 ? (data?.end ?? source.size) : from + length
      if (from > to || to > source.size) throw new MalformedImage('an item is longer than the file')
      found.push({ from, to })
    }
  }
  return found
}
