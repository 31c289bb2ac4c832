import { type ByteSource, MalformedImage } from './byte-source.ts'
import { Pieces } from './pieces.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b

/** Labels of extensions. */
const PLAIN_TEXT = 0x01
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff

/** Applications whose extensions say how the image looks: repetitions of the animation, colour profile. */
const NEEDED: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])

/**
 * A GIF file (GIF89a) without metadata: comments, extensions of applications such as XMP, and what follows the image.
 *
 * @throws {MalformedImage}
 */
export function stripGif(source: ByteSource): Pieces {
  if (!/^GIF8[79]a$/.test(source.text(0, 6))) throw new MalformedImage('no GIF')
  const pieces = new Pieces(source)
  let at = 13 + tableLength(source.byte(10))
  pieces.keep(0, at)
  while (at < source.size) {
    const kind = source.byte(at)
    if (kind === TRAILER) {
      pieces.keep(at, at + 1)
      return pieces
    }
    if (kind === IMAGE) {
      const end = blocksEnd(source, at + 11 + tableLength(source.byte(at + 9)))
      pieces.keep(at, end)
      at = end
    } else if (kind === EXTENSION) {
      const end = blocksEnd(source, at + 2)
      if (isNeeded(source, at)) pieces.keep(at, end)
      at = end
    } else throw new MalformedImage('an unknown block')
  }
  // Decoders take files without the trailer.
  return pieces
}

/** The length of a table of colours, by the byte of flags that announces it. */
const tableLength = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** The position after blocks of data, the last of which is empty. */
function blocksEnd(source: ByteSource, from: number): number {
  let at = from
  for (let length = source.byte(at); length > 0; length = source.byte(at)) at += 1 + length
  return at + 1
}

function isNeeded(source: ByteSource, at: number): boolean {
  const label = source.byte(at + 1)
  if (label === APPLICATION) return source.byte(at + 2) === 11 && NEEDED.has(source.text(at + 3, 11))
  return label === GRAPHIC_CONTROL || label === PLAIN_TEXT
}
