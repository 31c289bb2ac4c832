import { crc32, deflateSync } from 'node:zlib'

/** A colour as red, green and blue, from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** What a picture of mock data shows. */
export interface PatternPicture {
  readonly width: number
  readonly height: number
  /** Two to 256 colours. */
  readonly palette: readonly Colour[]
  /** Index in the palette of the pixel at a place. */
  colourAt(x: number, y: number): number
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** Bits of a pixel: an index in the palette. */
const BIT_DEPTH = 8
const INDEXED_COLOUR = 3

/** Encodes a picture as PNG with a palette (ISO/IEC 15948). The same picture gives the same bytes in one version of zlib. */
export function encodePng({ width, height, palette, colourAt }: PatternPicture): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BIT_DEPTH, INDEXED_COLOUR, 0, 0, 0], 8)
  const pixels = Buffer.alloc((width + 1) * height)
  for (let y = 0, at = 0; y < height; y++) {
    // Each row begins with its filter, which is none.
    at++
    for (let x = 0; x < width; x++) pixels[at++] = colourAt(x, y)
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
