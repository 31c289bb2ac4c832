import { closeSync, fstatSync, openSync } from 'node:fs'
import { ByteSource } from './byte-source.ts'
import type { Pieces } from './pieces.ts'
import { stripAvif } from './strip-avif.ts'
import { stripGif } from './strip-gif.ts'
import { stripJpeg } from './strip-jpeg.ts'
import { stripPng } from './strip-png.ts'
import { stripWebp } from './strip-webp.ts'

const BY_TYPE: ReadonlyMap<string, (source: ByteSource) => Pieces> = new Map([
  ['image/jpeg', stripJpeg],
  ['image/png', stripPng],
  ['image/webp', stripWebp],
  ['image/gif', stripGif],
  ['image/avif', stripAvif],
])

/**
 * Writes a copy of an image without EXIF, XMP and IPTC, from disk to disk, durable. The image itself is not encoded again; its orientation and its
 * colour profile stay. Blocks the process.
 *
 * @param target path of the copy, which must not exist
 * @returns undefined, and writes nothing, if the image has no metadata
 * @throws {MalformedImage}
 */
export function stripMetadata(
  path: string,
  type: string,
  target: string,
): { readonly size: number; readonly sha256: string } | undefined {
  const strip = BY_TYPE.get(type)
  if (strip === undefined) return undefined
  const file = openSync(path, 'r')
  try {
    const pieces = strip(new ByteSource(file, fstatSync(file).size))
    return pieces.isUnchanged ? undefined : pieces.write(file, target)
  } finally {
    closeSync(file)
  }
}
