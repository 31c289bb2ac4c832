import { crc32 } from 'node:zlib'
import { type ByteSource, MalformedImage } from './byte-source.ts'
import { exifOfOrientation, orientationIn } from './exif.ts'
import { Pieces } from './pieces.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Chunks that need not be understood, but say how the image looks: transparency, colours, density, animation. Those that begin with a capital are needed. */
const LOOKS: ReadonlySet<string> = new Set(
  'tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
)

/** Maximum length of EXIF. */
const MAX_EXIF = 1024 * 1024

/**
 * A PNG file (W3C PNG, third edition) without metadata: texts, which XMP is one of, EXIF, the time of the last change, unknown chunks, and what
 * follows the image. Of EXIF the orientation stays.
 *
 * @throws {MalformedImage}
 */
export function stripPng(source: ByteSource): Pieces {
  if (!source.bytes(0, SIGNATURE.length).equals(SIGNATURE)) throw new MalformedImage('no PNG')
  const pieces = new Pieces(source)
  pieces.keep(0, SIGNATURE.length)
  for (let at = SIGNATURE.length; ; ) {
    const length = source.number(at, 4)
    const type = source.text(at + 4, 4)
    const end = at + 12 + length
    if (end > source.size) throw new MalformedImage('a chunk is longer than the file')
    if (/^[A-Z]/.test(type) || LOOKS.has(type)) pieces.keep(at, end)
    else if (type === 'eXIf' && length <= MAX_EXIF) keepOrientation(source, pieces, at, end)
    if (type === 'IEND') return pieces
    at = end
  }
}

function keepOrientation(source: ByteSource, pieces: Pieces, start: number, end: number): void {
  const orientation = orientationIn(source.bytes(start + 8, end - start - 12))
  if (orientation === 1) return
  const exif = exifOfOrientation(orientation)
  const chunk = Buffer.alloc(12 + exif.length)
  chunk.writeUInt32BE(exif.length)
  chunk.write('eXIf', 4, 'latin1')
  exif.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + exif.length)), 8 + exif.length)
  pieces.replace(start, end, chunk)
}
