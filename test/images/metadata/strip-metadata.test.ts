import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { stripMetadata } from '../../../src/images/metadata/strip-metadata.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { animation, encoded, FORMATS, type Format, fileOf, pixelsOf, SECRET, withMetadata, XMP } from '../pictures.ts'

/** The bytes without metadata; undefined if the file stays as it is. */
async function stripped(bytes: Buffer, format: Format): Promise<Buffer | undefined> {
  await using folder = await temporaryFolder()
  const target = join(folder.path, 'stripped')
  const result = stripMetadata(await fileOf(folder, bytes), `image/${format}`, target)
  if (result === undefined) {
    assert.equal(existsSync(target), false)
    return undefined
  }
  const written = readFileSync(target)
  assert.deepEqual(result, { size: written.length, sha256: createHash('sha256').update(written).digest('hex') })
  return written
}

async function mustStrip(bytes: Buffer, format: Format): Promise<Buffer> {
  const result = await stripped(bytes, format)
  assert.ok(result !== undefined, 'nothing was removed')
  return result
}

const hasSecrets = (bytes: Buffer): boolean =>
  bytes.includes(SECRET) || bytes.includes('adobe:ns:meta') || bytes.includes('adobe.com/xap')

for (const format of FORMATS) {
  test(`${format}: a file without metadata stays as it is`, async () =>
    assert.equal(await stripped(await encoded(format), format), undefined))

  test(`${format}: removing twice removes nothing more`, async () => {
    const once =
      format === 'gif'
        ? await mustStrip(gifWithMetadata(await encoded('gif')), 'gif')
        : await mustStrip(await withMetadata(format), format)
    assert.equal(await stripped(once, format), undefined)
  })

  test(`${format}: a file that ends early is malformed`, async () => {
    const bytes = await (format === 'gif' ? encoded(format) : withMetadata(format))
    await assert.rejects(stripped(bytes.subarray(0, bytes.length - 20), format), { name: 'MalformedImage' })
  })

  test(`${format}: a file of another type, and one of its first bytes only, is malformed`, async () => {
    await assert.rejects(stripped(Buffer.from('<html>'.repeat(20)), format), { name: 'MalformedImage' })
    await assert.rejects(stripped((await encoded(format)).subarray(0, 11), format), { name: 'MalformedImage' })
  })
}

for (const format of FORMATS.filter((each) => each !== 'gif')) {
  for (const orientation of [1, 3, 6, 8]) {
    test(`${format}: EXIF and XMP go; pixels, colour profile and orientation ${orientation} stay`, async () => {
      const original = await withMetadata(format, orientation)
      assert.ok(hasSecrets(original))
      const result = await mustStrip(original, format)
      assert.ok(!hasSecrets(result))
      assert.deepEqual(await pixelsOf(result), await pixelsOf(original))
      const [before, after] = [await sharp(original).metadata(), await sharp(result).metadata()]
      assert.equal(after.orientation ?? 1, before.orientation ?? 1)
      assert.deepEqual(after.autoOrient, before.autoOrient)
      assert.ok(before.icc !== undefined)
      assert.deepEqual(after.icc, before.icc)
      assert.equal(after.xmp?.includes(SECRET) ?? false, false)
    })
  }
}

test('avif: metadata is overwritten, so that every offset stays right', async () => {
  const original = await withMetadata('avif')
  assert.equal((await mustStrip(original, 'avif')).length, original.length)
})

test('avif: a box of a program is overwritten', async () => {
  const plain = await encoded('avif')
  const box = Buffer.concat([Buffer.from([0, 0, 0, 40]), Buffer.from(`uuid${SECRET.padEnd(32)}`)])
  const result = await mustStrip(Buffer.concat([plain, box]), 'avif')
  assert.ok(!hasSecrets(result))
  assert.deepEqual(await pixelsOf(result), await pixelsOf(plain))
})

/** A segment of JPEG. */
function segment(marker: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string, 'latin1')
  return Buffer.concat([Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255]), bytes])
}

const JPEG_SEGMENTS = [
  { what: 'IPTC', bytes: segment(0xed, `Photoshop 3.0\0${SECRET}`) },
  { what: 'a comment', bytes: segment(0xfe, SECRET) },
  { what: 'further XMP', bytes: segment(0xe1, `http://ns.adobe.com/xmp/extension/\0${SECRET}`) },
  { what: 'the index of further images', bytes: segment(0xe2, `MPF\0${SECRET}`) },
  { what: 'a proof of origin', bytes: segment(0xeb, `JP${SECRET}`) },
  { what: 'a segment after filling bytes', bytes: Buffer.concat([Buffer.from([0xff, 0xff]), segment(0xfe, SECRET)]) },
]

for (const { what, bytes } of JPEG_SEGMENTS) {
  test(`jpeg: ${what} goes, and the rest stays byte by byte`, async () => {
    const plain = await encoded('jpeg')
    const original = Buffer.concat([plain.subarray(0, 2), bytes, plain.subarray(2)])
    assert.deepEqual(await mustStrip(original, 'jpeg'), plain)
  })
}

test('jpeg: what follows the image goes, such as a second image or a film', async () => {
  const plain = await encoded('jpeg')
  assert.deepEqual(await mustStrip(Buffer.concat([plain, await withMetadata('jpeg')]), 'jpeg'), plain)
})

test('jpeg: a comment between the scans of a progressive image goes', async () => {
  const plain = await sharp(await encoded('png'))
    .jpeg({ progressive: true })
    .toBuffer()
  const scan = plain.lastIndexOf(Buffer.from([0xff, 0xda]))
  const original = Buffer.concat([plain.subarray(0, scan), segment(0xfe, SECRET), plain.subarray(scan)])
  assert.deepEqual(await mustStrip(original, 'jpeg'), plain)
})

test('jpeg: pixels of several windows of the file stay', async () => {
  const original = await sharp(await encoded('png', 1500, 1200))
    .withExif({ IFD0: { Artist: SECRET } })
    .jpeg({ quality: 100 })
    .toBuffer()
  assert.ok(original.length > 1024 * 1024)
  const result = await mustStrip(original, 'jpeg')
  assert.deepEqual(await pixelsOf(result), await pixelsOf(original))
})

test('jpeg: EXIF of big-endian programs keeps its orientation', async () => {
  const plain = await encoded('jpeg')
  const tiff = Buffer.from('4d4d002a000000080002010e000200000004612d620001120003000000010008000000000000', 'hex')
  const exif = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff]))
  const result = await mustStrip(Buffer.concat([plain.subarray(0, 2), exif, plain.subarray(2)]), 'jpeg')
  assert.equal((await sharp(result).metadata()).orientation, 8)
})

for (const [what, hex] of [
  ['without a directory', '49492a0008000000'],
  ['with an endless directory', '49492a0008000000ffff'],
  ['with an orientation of 9', '49492a00080000000100120103000100000009000000'],
  ['of another order', '58582a0008000000'],
  ['with a directory behind its end', '49492a00ffffffff'],
  ['that is empty', ''],
] as const) {
  test(`jpeg: EXIF ${what} goes as a whole`, async () => {
    const plain = await encoded('jpeg')
    const exif = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(hex, 'hex')]))
    const original = Buffer.concat([plain.subarray(0, 2), exif, plain.subarray(2)])
    assert.deepEqual(await mustStrip(original, 'jpeg'), plain)
  })
}

/** A chunk of PNG. */
function chunk(type: string, content: string): Buffer {
  const body = Buffer.from(type + content, 'latin1')
  const bytes = Buffer.alloc(body.length + 8)
  bytes.writeUInt32BE(content.length)
  body.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(body), body.length + 4)
  return bytes
}

for (const [what, bytes] of [
  ['a text', chunk('tEXt', `Author\0${SECRET}`)],
  ['XMP', chunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${XMP}`)],
  ['a compressed text', chunk('zTXt', `Raw profile type exif\0\0${SECRET}`)],
  ['the time of the last change', chunk('tIME', '1234567')],
  ['a chunk of a program', chunk('caBX', SECRET)],
] as const) {
  test(`png: ${what} goes, and the rest stays byte by byte`, async () => {
    const plain = await encoded('png')
    assert.deepEqual(await mustStrip(Buffer.concat([plain.subarray(0, 33), bytes, plain.subarray(33)]), 'png'), plain)
  })
}

test('png: what follows the image goes', async () => {
  const plain = await encoded('png')
  assert.deepEqual(await mustStrip(Buffer.concat([plain, Buffer.from('PK<script>')]), 'png'), plain)
})

test('webp: an unknown chunk and what follows the image go', async () => {
  const plain = await sharp(await encoded('png'))
    .withIccProfile('p3')
    .webp()
    .toBuffer()
  const unknown = Buffer.concat([Buffer.from('C2PA'), Buffer.from([SECRET.length, 0, 0, 0]), Buffer.from(SECRET)])
  const original = Buffer.concat([plain, unknown, Buffer.from('<script>')])
  original.writeUInt32LE(plain.length - 8 + unknown.length, 4)
  assert.deepEqual(await mustStrip(original, 'webp'), plain)
})

for (const [orientation, flags] of [
  [1, 0x20],
  [6, 0x28],
] as const) {
  test(`webp: the header announces what is left, with orientation ${orientation}`, async () => {
    const original = await withMetadata('webp', orientation)
    assert.equal(original.toString('latin1', 12, 16), 'VP8X')
    assert.equal(original.readUInt8(20), 0x2c)
    const result = await mustStrip(original, 'webp')
    assert.equal(result.readUInt8(20), flags)
    assert.equal(result.readUInt32LE(4), result.length - 8)
  })
}

const subBlocks = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text), Buffer.from([0])])

/** A GIF with a comment, XMP, and bytes behind its end. */
function gifWithMetadata(plain: Buffer): Buffer {
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe]), subBlocks(SECRET)])
  // XMP is not in blocks: its trailer leads each reader of blocks to the end.
  const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0])
  const xmp = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('XMP DataXMP'), Buffer.from(XMP), trailer])
  return Buffer.concat([plain.subarray(0, -1), comment, xmp, plain.subarray(-1), Buffer.from(`;alert('${SECRET}')`)])
}

test('gif: comments, XMP and what follows the image go; the animation stays byte by byte', async () => {
  const plain = await animation(3, 'gif')
  const original = gifWithMetadata(plain)
  assert.ok(hasSecrets(original))
  assert.deepEqual(await mustStrip(original, 'gif'), plain)
  const { pages, delay, loop } = await sharp(plain).metadata()
  assert.deepEqual({ pages, delay, loop }, { pages: 3, delay: [100, 200, 300], loop: 3 })
})

test('gif: a file without its trailer stays', async () => {
  const plain = await encoded('gif')
  assert.equal(await stripped(plain.subarray(0, -1), 'gif'), undefined)
})

test('a file of very many parts is malformed, so that memory is bounded', async () => {
  const plain = await encoded('gif')
  // Comments between images, so that no two kept parts are neighbours.
  const head = plain.subarray(0, 13 + 3 * 2 ** ((plain.readUInt8(10) & 7) + 1))
  const control = Buffer.from([0x21, 0xf9, 0, 0x21, 0xfe, 0])
  const original = Buffer.concat([head, ...Array.from({ length: 100_001 }, () => control), plain.subarray(-1)])
  await assert.rejects(stripped(original, 'gif'), { name: 'MalformedImage', message: 'the file has too many parts' })
})
