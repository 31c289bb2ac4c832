import { type ByteSource, MalformedImage } from './byte-source.ts'
import { exifOfOrientation, orientationIn } from './exif.ts'
import { Pieces } from './pieces.ts'

/** Chunks of the image. */
const IMAGE: ReadonlySet<string> = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L'])

/** Flags of the chunk `VP8X`. */
const HAS_EXIF = 0x08
const HAS_XMP = 0x04

/** Maximum length of EXIF, and maximum number of chunks. */
const MAX_EXIF = 1024 * 1024
const MAX_CHUNKS = 100_000

interface Chunk {
  readonly type: string
  readonly start: number
  /** Its length without padding. */
  readonly length: number
  readonly end: number
}

/**
 * A WebP file (RFC 9649) without metadata: EXIF, XMP, unknown chunks, and what follows the image. Of EXIF the orientation stays.
 *
 * @throws {MalformedImage}
 */
export function stripWebp(source: ByteSource): Pieces {
  if (source.text(0, 4) !== 'RIFF' || source.text(8, 4) !== 'WEBP') throw new MalformedImage('no WebP')
  const chunks = chunksOf(source)
  const extended = chunks.find(({ type }) => type === 'VP8X')
  const flags = extended === undefined ? 0 : source.byte(extended.start + 8)
  const exif = (flags & HAS_EXIF) === 0 ? undefined : chunks.find(({ type }) => type === 'EXIF')
  const kept = exif === undefined ? undefined : orientationChunk(source, exif)
  const image = chunks.filter((chunk) => IMAGE.has(chunk.type) || (kept !== undefined && chunk === exif))
  const lengthOf = (chunk: Chunk): number => (chunk === exif && kept !== undefined ? kept.length : chunk.end - chunk.start)

  const pieces = new Pieces(source)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(image.reduce((sum, chunk) => sum + lengthOf(chunk), 4))
  pieces.keep(0, 4)
  pieces.replace(4, 8, size)
  pieces.keep(8, 12)
  for (const chunk of image) {
    if (chunk === exif && kept !== undefined) pieces.replace(chunk.start, chunk.end, kept)
    else if (chunk === extended) {
      const present = (flags & ~HAS_EXIF & ~HAS_XMP) | (kept === undefined ? 0 : HAS_EXIF)
      pieces.keep(chunk.start, chunk.start + 8)
      pieces.replace(chunk.start + 8, chunk.start + 9, Buffer.from([present]))
      pieces.keep(chunk.start + 9, chunk.end)
    } else pieces.keep(chunk.start, chunk.end)
  }
  return pieces
}

function chunksOf(source: ByteSource): readonly Chunk[] {
  const size = 8 + source.number32LE(4)
  if (size > source.size) throw new MalformedImage('the file ends too early')
  const chunks: Chunk[] = []
  for (let start = 12; start + 8 <= size; ) {
    const length = source.number32LE(start + 4)
    const end = start + 8 + length + (length % 2)
    if (end > size || chunks.length === MAX_CHUNKS) throw new MalformedImage('a chunk is longer than the file')
    chunks.push({ type: source.text(start, 4), start, length, end })
    start = end
  }
  if (chunks.some(({ type, length }) => type === 'VP8X' && length < 10)) throw new MalformedImage('its header is too short')
  return chunks
}

/** The chunk with nothing but the orientation; undefined for an image that is upright. */
function orientationChunk(source: ByteSource, { start, length }: Chunk): Buffer | undefined {
  if (length > MAX_EXIF) return undefined
  const bytes = source.bytes(start + 8, length)
  // Some programs write the identifier of JPEG before it.
  const orientation = orientationIn(bytes.toString('latin1', 0, 6) === 'Exif\0\0' ? bytes.subarray(6) : bytes)
  if (orientation === 1) return undefined
  const exif = exifOfOrientation(orientation)
  const chunk = Buffer.alloc(8 + exif.length)
  chunk.write('EXIF', 0, 'latin1')
  chunk.writeUInt32LE(exif.length, 4)
  exif.copy(chunk, 8)
  return chunk
}
