import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { type FileRules, IMAGE_TYPES, PREVIEW, type ThumbnailRecipe } from '../../src/model/files.ts'

/** Formats of the field type `image`. */
export type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'
export const FORMATS: readonly Format[] = ['jpeg', 'png', 'webp', 'gif', 'avif']

/** Words that only metadata contains. */
export const SECRET = 'SECRETARTIST'

export const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>${SECRET}</dc:creator></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

/** A picture without a symmetry, so that each rotation differs. */
export function picture(width = 60, height = 40): Sharp {
  const pixels = Buffer.alloc(width * height * 3)
  for (let index = 0; index < pixels.length; index++) pixels[index] = (index * 7919 + (index >> 5) * 31) & 0xff
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** A picture of a format, without metadata. */
export const encoded = (format: Format, width?: number, height?: number): Promise<Buffer> =>
  picture(width, height).toFormat(format).toBuffer()

/** A picture of a format with EXIF, the place on earth included, XMP and a colour profile, as far as the format has them. */
export const withMetadata = (format: Format, orientation = 6): Promise<Buffer> =>
  picture()
    .withExif({ IFD0: { Artist: SECRET, Software: SECRET }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' } })
    .withXmp(XMP)
    .withIccProfile('p3')
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer()

/** The decoded pixels, without rotation. */
export async function pixelsOf(
  bytes: Buffer,
): Promise<{ readonly data: Buffer; readonly width: number; readonly height: number }> {
  const { data, info } = await sharp(bytes, { pages: -1 }).raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Writes a file into a folder. @returns its path */
export async function fileOf(folder: { readonly path: string }, bytes: Buffer | string, name = 'upload'): Promise<string> {
  const path = join(folder.path, name)
  await writeFile(path, bytes)
  return path
}

export const PREVIEW_RECIPE: ThumbnailRecipe = { width: 256, height: 256, fit: 'inside', format: 'webp' }

/** The rules of a field of images without narrower ones. */
export const imageRules = (rules: Partial<FileRules> = {}): FileRules => ({
  isImage: true,
  maxFiles: 1,
  maxSize: undefined,
  accept: IMAGE_TYPES,
  thumbnails: new Map([[PREVIEW, PREVIEW_RECIPE]]),
  minWidth: undefined,
  minHeight: undefined,
  maxPixels: 50_000_000,
  keepsMetadata: false,
  ...rules,
})

/** The rules of a field of files. */
export const fileRules = (accept?: readonly string[]): FileRules =>
  imageRules({ isImage: false, accept, thumbnails: new Map(), keepsMetadata: true })

/** An animation whose frames are of growing red, with 8 × 8 pixels. */
export async function animation(frames: number, format: 'gif' | 'webp'): Promise<Buffer> {
  const images = Array.from({ length: frames }, (_, index) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r: (index + 1) * 60, g: 0, b: 0 } } })
      .png()
      .toBuffer(),
  )
  const joined = sharp(await Promise.all(images), { join: { animated: true } })
  return joined.toFormat(format, { loop: 3, delay: images.map((_, index) => (index + 1) * 100) }).toBuffer()
}

/** A GIF of many frames of one pixel each, on a canvas of `side` × `side` pixels. */
export function gifOfFrames(frames: number, side: number): Buffer {
  const head = Buffer.from([...Buffer.from('GIF89a'), side, 0, side, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
  const control = [0x21, 0xf9, 4, 0, 1, 0, 0, 0]
  const frame = Buffer.from([...control, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])])
}

/** A PNG whose header tells a size, without pixels. */
export function headerOfPng(width: number, height: number): Buffer {
  const chunk = (type: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), content])
    const bytes = Buffer.alloc(body.length + 8)
    bytes.writeUInt32BE(content.length)
    body.copy(bytes, 4)
    bytes.writeUInt32BE(crc32(body), body.length + 4)
    return bytes
  }
  const sides = Buffer.alloc(8)
  sides.writeUInt32BE(width)
  sides.writeUInt32BE(height, 4)
  const header = chunk('IHDR', Buffer.concat([sides, Buffer.from([8, 2, 0, 0, 0])]))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    header,
    chunk('IDAT', Buffer.alloc(0)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
