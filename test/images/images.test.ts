import assert from 'node:assert/strict'
import { fork as forkScript } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import type { ForkImageProcess } from '../../src/images/image-process.ts'
import { ImageProcesses } from '../../src/images/image-processes.ts'
import { hasImages, Images } from '../../src/images/images.ts'
import { ThumbnailCache } from '../../src/images/thumbnail-cache.ts'
import type { FileRules, ThumbnailRecipe } from '../../src/model/files.ts'
import { systemTimer, type Timer } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { keptImageProcess } from '../helpers/images.ts'
import {
  animation,
  encoded,
  FORMATS,
  fileOf,
  fileRules,
  gifOfFrames,
  headerOfPng,
  imageRules,
  PREVIEW_RECIPE,
  picture,
  SECRET,
  withMetadata,
} from './pictures.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Images in a folder, with image processes that the tests share. */
async function imagesIn({ timer = systemTimer, fork = keptImageProcess }: { timer?: Timer; fork?: ForkImageProcess } = {}) {
  const folder = await temporaryFolder()
  const processes = new ImageProcesses({ timer, fork })
  const cache = new ThumbnailCache(`${folder.path}/cache`, { clock: () => Date.now(), random: systemRandom })
  const images = new Images(processes, cache)
  return {
    folder,
    images,
    async inspect(bytes: Buffer | string, rules: FileRules = imageRules()) {
      const path = await fileOf(folder, bytes)
      return images.inspect({ path, size: bytes.length, sha256: sha256(Buffer.from(bytes as string)) }, rules)
    },
    async [Symbol.asyncDispose]() {
      images.close()
      await folder.remove()
    },
  }
}

const BROKEN = 'must be an image that can be read: the file is damaged or incomplete'

test('images are of their format and size, and stay as they are', async () => {
  await using it = await imagesIn()
  for (const format of FORMATS) {
    const bytes = await encoded(format)
    const { file, type, image } = await it.inspect(bytes)
    assert.deepEqual({ type, image }, { type: `image/${format}`, image: { width: 60, height: 40, frames: 1 } })
    assert.equal(file.sha256, sha256(bytes))
    assert.deepEqual(await readFile(file.path), bytes)
  }
  assert.deepEqual(await readdir(`${it.folder.path}/cache/drafts`), [])
})

test('metadata is removed in place; size and hash are those of the new file, width and height as displayed', async () => {
  await using it = await imagesIn()
  for (const format of FORMATS.filter((each) => each !== 'gif')) {
    const original = await withMetadata(format)
    const { file, image } = await it.inspect(original)
    const bytes = await readFile(file.path)
    assert.ok(original.includes(SECRET) && !bytes.includes(SECRET))
    assert.deepEqual(file, { path: file.path, size: bytes.length, sha256: sha256(bytes) })
    assert.deepEqual(image, { width: 40, height: 60, frames: 1 })
  }
  assert.deepEqual((await readdir(it.folder.path)).sort(), ['cache', 'upload'])
})

test('metadata stays if the field keeps it', async () => {
  await using it = await imagesIn()
  const original = await withMetadata('jpeg')
  const { file, image } = await it.inspect(original, imageRules({ keepsMetadata: true }))
  assert.deepEqual(await readFile(file.path), original)
  assert.equal(file.sha256, sha256(original))
  assert.deepEqual(image, { width: 40, height: 60, frames: 1 })
})

test('the preview is made by the upload: 256 pixels, of the hash without metadata', async () => {
  await using it = await imagesIn()
  const { file } = await it.inspect(
    await picture(800, 400)
      .withExif({ IFD0: { Artist: SECRET } })
      .jpeg()
      .toBuffer(),
  )
  const preview = await it.images.thumbnail({ sha256: file.sha256, recipe: PREVIEW_RECIPE, maxPixels: 1e6 }, () => {
    throw new Error('it is kept')
  })
  assert.ok(preview !== undefined)
  const { format, width, height } = await sharp(preview.path).metadata()
  assert.deepEqual({ format, width, height }, { format: 'webp', width: 256, height: 128 })
  assert.deepEqual({ type: preview.type, size: preview.size }, { type: 'image/webp', size: (await stat(preview.path)).size })
})

test('a file of the type file is not read as an image, and keeps its metadata', async () => {
  await using it = await imagesIn()
  const original = await withMetadata('jpeg')
  const { file, type, image } = await it.inspect(original, fileRules())
  assert.deepEqual({ type, image }, { type: 'image/jpeg', image: undefined })
  assert.deepEqual(await readFile(file.path), original)
  assert.equal((await it.inspect('Hello', fileRules(['text/plain']))).type, 'text/plain')
  assert.equal((await it.inspect('', fileRules())).type, 'text/plain')
  await assert.rejects(it.inspect('Hello', fileRules(['application/pdf'])), {
    name: 'ImageFault',
    message: 'must be of type application/pdf, not text/plain',
  })
})

test('frames of animations are counted', async () => {
  await using it = await imagesIn()
  for (const format of ['gif', 'webp'] as const) {
    assert.deepEqual((await it.inspect(await animation(3, format))).image, { width: 8, height: 8, frames: 3 })
  }
})

const heic = Buffer.from('00000018667479706865696300000000686569636d696631', 'hex')

const refusals: readonly {
  readonly what: string
  readonly bytes: () => Promise<Buffer> | Buffer | string
  readonly rules?: Partial<FileRules>
  readonly message: string
}[] = [
  { what: 'HEIC', bytes: () => heic, message: 'must be a JPEG, PNG, WebP, GIF or AVIF image, not HEIC' },
  {
    what: 'SVG',
    bytes: () => '<svg xmlns="http://www.w3.org/2000/svg"/>',
    message: 'must be a JPEG, PNG, WebP, GIF or AVIF image, not SVG',
  },
  { what: 'HTML', bytes: () => '<script>alert(1)</script>', message: 'must be a JPEG, PNG, WebP, GIF or AVIF image, not HTML' },
  { what: 'a program', bytes: () => 'alert(1)', message: 'must be a JPEG, PNG, WebP, GIF or AVIF image, not text' },
  { what: 'TIFF', bytes: () => picture().tiff().toBuffer(), message: 'must be a JPEG, PNG, WebP, GIF or AVIF image, not TIFF' },
  { what: 'an empty file', bytes: () => '', message: 'must be a JPEG, PNG, WebP, GIF or AVIF image, not text' },
  {
    what: 'a type that the field does not take',
    bytes: () => encoded('png'),
    rules: { accept: ['image/jpeg'] },
    message: 'must be a JPEG image, not PNG',
  },
  {
    what: 'too narrow an image',
    bytes: () => encoded('png', 1199, 10),
    rules: { minWidth: 1200 },
    message: 'must be at least 1200 pixels wide',
  },
  {
    what: 'too low an image',
    bytes: () => encoded('png', 10, 99),
    rules: { minHeight: 100 },
    message: 'must be at least 100 pixels high',
  },
  {
    what: 'an image that is wide enough until it is turned',
    bytes: () => withMetadata('jpeg'),
    rules: { minWidth: 60 },
    message: 'must be at least 60 pixels wide',
  },
  {
    what: 'too many pixels',
    bytes: () => encoded('png', 100, 101),
    rules: { maxPixels: 10_000 },
    message: 'must have at most 10,000 pixels, not 10,100',
  },
  {
    what: 'a pixel bomb',
    bytes: () => headerOfPng(60_000, 60_000),
    message: 'must have at most 50,000,000 pixels, not 3,600,000,000',
  },
  {
    what: 'a GIF of 10,000 frames',
    bytes: () => gifOfFrames(10_000, 100),
    message: 'must have at most 50,000,000 pixels in its 10,000 frames together, not 100,000,000',
  },
  {
    what: 'a header of JPEG before HTML',
    bytes: () => Buffer.from('\xff\xd8\xff\xe0<html><script>alert(1)</script>', 'latin1'),
    message: BROKEN,
  },
  { what: 'a header of GIF before a program', bytes: () => 'GIF89a\x01\0\x01\0\0\0\0=1;alert(1)', message: BROKEN },
  { what: 'a header of PNG without pixels', bytes: () => headerOfPng(100, 100), message: BROKEN },
  { what: 'a header of WebP', bytes: () => Buffer.from('RIFF\x20\0\0\0WEBPVP8 \0\0\0\0', 'latin1'), message: BROKEN },
]

for (const { what, bytes, rules = {}, message } of refusals) {
  test(`refused: ${what}`, async () => {
    await using it = await imagesIn()
    await assert.rejects(it.inspect(await bytes(), imageRules(rules)), { name: 'ImageFault', message })
    assert.deepEqual(await readdir(`${it.folder.path}/cache/drafts`), [])
    assert.deepEqual((await readdir(it.folder.path)).sort(), ['cache', 'upload'])
  })
}

test('refused: files that end early, of each format, with metadata or without', async () => {
  await using it = await imagesIn()
  for (const format of FORMATS) {
    for (const bytes of [await encoded(format), await withMetadata(format)]) {
      for (const keepsMetadata of [true, false]) {
        const half = bytes.subarray(0, bytes.length * 0.6)
        await assert.rejects(it.inspect(half, imageRules({ keepsMetadata })), { name: 'ImageFault', message: BROKEN }, format)
      }
    }
  }
})

test('a GIF of 10,000 small frames is an image', async () => {
  await using it = await imagesIn()
  assert.deepEqual((await it.inspect(gifOfFrames(10_000, 10))).image, { width: 10, height: 10, frames: 10_000 })
})

test('a polyglot is its detected type; what is behind the image goes', async () => {
  await using it = await imagesIn()
  const gif = await encoded('gif')
  const { file, type } = await it.inspect(Buffer.concat([gif, Buffer.from('/*<script>alert(1)</script>')]))
  assert.equal(type, 'image/gif')
  assert.deepEqual(await readFile(file.path), gif)
})

for (const [what, recipe, size] of [
  ['covers', { width: 64, height: 36, fit: 'cover', format: 'webp' }, [64, 36]],
  ['a width', { width: 50, fit: 'inside', format: 'png' }, [50, 25]],
  ['a height', { height: 50, fit: 'inside', format: 'jpeg', quality: 60 }, [100, 50]],
  ['is never enlarged', { width: 4000, height: 4000, fit: 'inside', format: 'webp' }, [200, 100]],
  ['covers less than its sides of a smaller image', { width: 400, height: 50, fit: 'cover', format: 'webp' }, [200, 50]],
] as const satisfies readonly (readonly [string, ThumbnailRecipe, readonly number[]])[]) {
  test(`a thumbnail ${what}`, async () => {
    await using it = await imagesIn()
    const bytes = await encoded('jpeg', 200, 100)
    const path = await fileOf(it.folder, bytes)
    const made = await it.images.thumbnail({ sha256: sha256(bytes), recipe, maxPixels: 1 }, async () => path)
    assert.ok(made !== undefined)
    const { width, height, format } = await sharp(made.path).metadata()
    assert.deepEqual([width, height, format], [...size, recipe.format])
    assert.equal(made.type, `image/${recipe.format}`)
  })
}

test('a thumbnail is turned as its image, and has no metadata', async () => {
  await using it = await imagesIn()
  const bytes = await withMetadata('jpeg')
  const made = await it.images.thumbnail({ sha256: sha256(bytes), recipe: PREVIEW_RECIPE, maxPixels: 1 }, async () =>
    fileOf(it.folder, bytes),
  )
  const { width, height, exif, xmp, orientation } = await sharp(made?.path).metadata()
  assert.deepEqual(
    { width, height, exif, xmp, orientation },
    { width: 40, height: 60, exif: undefined, xmp: undefined, orientation: undefined },
  )
})

test('a thumbnail of an animation is its first frame', async () => {
  await using it = await imagesIn()
  const bytes = await animation(3, 'gif')
  const recipe = { width: 4, fit: 'inside', format: 'png' } as const
  const made = await it.images.thumbnail({ sha256: sha256(bytes), recipe, maxPixels: 1 }, async () => fileOf(it.folder, bytes))
  const { data } = await sharp(made?.path).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([...data.subarray(0, 3)], [60, 0, 0])
})

test('a thumbnail is made once for requests at the same time, then it is kept', async () => {
  await using it = await imagesIn()
  const path = await fileOf(it.folder, await encoded('jpeg'))
  let opened = 0
  const request = { sha256: 'a'.repeat(64), recipe: PREVIEW_RECIPE, maxPixels: 1 }
  const thumbnail = () =>
    it.images.thumbnail(request, async () => {
      opened++
      return createReadStream(path)
    })
  const made = await Promise.all([thumbnail(), thumbnail(), thumbnail()])
  assert.equal(new Set(made.map((each) => each?.path)).size, 1)
  assert.deepEqual(await thumbnail(), made[0])
  assert.equal(opened, 1)
  assert.equal(it.images.figures().jobs, 1)
  assert.deepEqual(await readdir(`${it.folder.path}/cache/drafts`), [])
  await it.images.forget('a'.repeat(64))
  await thumbnail()
  assert.equal(opened, 2)
})

test('the thumbnail of missing bytes is undefined, and nothing is kept of it', async () => {
  await using it = await imagesIn()
  const request = { sha256: 'a'.repeat(64), recipe: PREVIEW_RECIPE, maxPixels: 1 }
  assert.equal(await it.images.thumbnail(request, async () => undefined), undefined)
  const path = await fileOf(it.folder, await encoded('jpeg'))
  assert.ok((await it.images.thumbnail(request, async () => path)) !== undefined)
})

test('the thumbnail of a damaged image is INVALID_IMAGE', async () => {
  await using it = await imagesIn()
  const path = await fileOf(it.folder, (await encoded('jpeg')).subarray(0, 300))
  await assert.rejects(
    it.images.thumbnail({ sha256: 'a'.repeat(64), recipe: PREVIEW_RECIPE, maxPixels: 1 }, async () => path),
    {
      code: 'INVALID_IMAGE',
      status: 422,
    },
  )
  assert.deepEqual(await readdir(`${it.folder.path}/cache/drafts`), [])
})

test('the thumbnail of a file that is no image of a field is refused by the decoder: SVG, TIFF', async () => {
  await using it = await imagesIn()
  for (const [name, bytes] of [
    ['a', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')],
    ['b', await picture().tiff().toBuffer()],
  ] as const) {
    const path = await fileOf(it.folder, bytes, name)
    await assert.rejects(
      it.images.thumbnail({ sha256: name.repeat(64), recipe: PREVIEW_RECIPE, maxPixels: 1 }, async () => path),
      {
        code: 'INVALID_IMAGE',
      },
    )
  }
})

test('an upload that takes more than 20 seconds is refused at its field', async () => {
  await using it = await imagesIn({
    timer: (milliseconds, callback) => {
      assert.ok(milliseconds === 20_000 || milliseconds === 60_000)
      if (milliseconds === 20_000) setImmediate(callback)
      return () => {}
    },
  })
  await assert.rejects(it.inspect(await encoded('png')), {
    name: 'ImageFault',
    message: 'must be an image that can be read: it took more than 20 seconds',
  })
  assert.equal(it.images.figures().kills, 1)
})

test('this installation has images', () => assert.equal(hasImages(), true))

test('a disk that is full while a thumbnail is made is STORAGE_FULL, and leaves nothing', async () => {
  await using it = await imagesIn({ fork: () => forkScript(new URL('scripted-worker.mjs', import.meta.url)) })
  const request = { sha256: 'a'.repeat(64), recipe: PREVIEW_RECIPE, maxPixels: 1e6 }
  await assert.rejects(
    it.images.thumbnail(request, async () => '/nowhere/full'),
    { name: 'AppError', code: 'STORAGE_FULL' },
  )
  assert.deepEqual(await readdir(`${it.folder.path}/cache/drafts`), [])
})
