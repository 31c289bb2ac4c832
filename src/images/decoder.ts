import { writeFile } from 'node:fs/promises'
import type { default as Sharp, SharpOptions } from 'sharp'
import type { ThumbnailRecipe } from '../model/files.ts'

/** Names of the loaders of libvips that read files of uploaded images. All others, such as those of SVG and TIFF, are blocked. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}File`)

/** sharp is an optional dependency, and is not installed or does not run on this machine. */
export class DecoderMissing extends Error {
  constructor(cause: unknown) {
    super('sharp cannot be loaded', { cause })
    this.name = 'DecoderMissing'
  }
}

let loaded: typeof Sharp | undefined

/** @throws {DecoderMissing} */
async function loadDecoder(): Promise<typeof Sharp> {
  if (loaded !== undefined) return loaded
  const { default: sharp } = await import('sharp').catch((error: unknown) => {
    throw new DecoderMissing(error)
  })
  sharp.cache(false)
  // One job at a time in each of two processes; more threads would need more memory.
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  loaded = sharp
  return sharp
}

/** The header of an image. */
export interface ImageHeader {
  /** In pixels, as displayed. */
  readonly width: number
  readonly height: number
  readonly frames: number
}

/** Reads the header of an image, and no pixels. @throws {DecoderMissing}, {Error} for a file that is no image */
export async function readHeader(path: string): Promise<ImageHeader> {
  const sharp = await loadDecoder()
  // The caller judges the number of pixels.
  const { autoOrient, pages = 1 } = await sharp(path, { failOn: 'error', limitInputPixels: false }).metadata()
  return { ...autoOrient, frames: pages }
}

/** Writes a thumbnail of the first frame of an image. @throws {DecoderMissing}, {Error} for a damaged image */
export async function makeThumbnail(path: string, target: string, recipe: ThumbnailRecipe, maxPixels: number): Promise<void> {
  const sharp = await loadDecoder()
  const { width, height, fit, format, quality } = recipe
  const options: SharpOptions = { failOn: 'error', limitInputPixels: maxPixels, autoOrient: true, pages: 1 }
  const image = sharp(path, options)
    .resize({
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      fit,
      withoutEnlargement: true,
    })
    .toFormat(format, quality === undefined ? {} : { quality })
  await writeFile(target, await image.toBuffer(), { mode: 0o600, flag: 'wx' })
}
