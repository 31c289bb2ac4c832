import { type ByteSource, MalformedImage } from './byte-source.ts'
import { exifOfOrientation, orientationIn } from './exif.ts'
import { Pieces } from './pieces.ts'

const START = 0xd8
const END = 0xd9
const SCAN = 0xda
const COMMENT = 0xfe
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef

/** Identifiers of the application segments that decoders need: density, colour profile, colour transform. */
const NEEDED: ReadonlyMap<number, string> = new Map([
  [APP0, 'JFIF\0'],
  [APP2, 'ICC_PROFILE\0'],
  [APP14, 'Adobe'],
])

const EXIF = 'Exif\0\0'

/**
 * A JPEG file (ITU T.81) without metadata: application segments, but for those that decoders need, comments, and what follows the image, such as
 * further images or a film. Of EXIF the orientation stays.
 *
 * @throws {MalformedImage}
 */
export function stripJpeg(source: ByteSource): Pieces {
  if (source.number(0, 2) !== 0xff00 + START) throw new MalformedImage('no JPEG')
  const pieces = new Pieces(source)
  pieces.keep(0, 2)
  let hasExif = false
  for (let at = 2; ; ) {
    // Bytes between segments mean nothing, and a marker may be preceded by any number of 0xFF.
    const start = source.indexOf(0xff, at)
    const code = source.byte(start + 1)
    if (code === 0xff) at = start + 1
    else if (code === END) {
      pieces.keep(start, start + 2)
      return pieces
    } else if (isAlone(code)) {
      if (code !== 0) pieces.keep(start, start + 2)
      at = start + 2
    } else {
      const length = source.number(start + 2, 2)
      const end = start + 2 + length
      if (length < 2 || end > source.size) throw new MalformedImage('a segment is longer than the file')
      if (isExif(source, code, start, length)) {
        if (!hasExif) keepOrientation(source, pieces, start, end)
        hasExif = true
      } else if (isNeeded(source, code, start, length)) pieces.keep(start, end)
      at = code === SCAN ? scanEnd(source, end) : end
      if (code === SCAN) pieces.keep(end, at)
    }
  }
}

/** Markers without a segment: a stuffed byte, TEM, and those of restarts. */
const isAlone = (code: number): boolean => code <= 1 || isRestart(code)

const isRestart = (code: number): boolean => code >= 0xd0 && code <= 0xd7

const isExif = (source: ByteSource, code: number, start: number, length: number): boolean =>
  code === APP1 && length >= 2 + EXIF.length && source.text(start + 4, EXIF.length) === EXIF

function isNeeded(source: ByteSource, code: number, start: number, length: number): boolean {
  if (code === COMMENT) return false
  if (code < APP0 || code > APP15) return true
  const needed = NEEDED.get(code)
  return needed !== undefined && length >= 2 + needed.length && source.text(start + 4, needed.length) === needed
}

function keepOrientation(source: ByteSource, pieces: Pieces, start: number, end: number): void {
  const from = start + 4 + EXIF.length
  const orientation = orientationIn(source.bytes(from, end - from))
  if (orientation === 1) return
  const exif = exifOfOrientation(orientation)
  const head = Buffer.from([0xff, APP1, 0, 2 + EXIF.length + exif.length])
  pieces.replace(start, end, Buffer.concat([head, Buffer.from(EXIF, 'latin1'), exif]))
}

/** The position of the marker that ends the data of a scan. */
function scanEnd(source: ByteSource, from: number): number {
  for (let at = from; ; ) {
    const start = source.indexOf(0xff, at)
    const code = source.byte(start + 1)
    if (code === 0xff) at = start + 1
    else if (code === 0 || isRestart(code)) at = start + 2
    else return start
  }
}
