import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { animation, encoded, gifOfFrames, headerOfPng, picture, withMetadata } from '../images/pictures.ts'

// Files that are no images, or images made to bring a decoder down, are sent to a field of images under the name of a picture. Each is an error at
// its field and leaves nothing; the server goes on.

const FILES = {
  'models/article.yaml': 'name: Article\nfields: [{ name: cover, type: image }]\n',
  'seed/user.yaml': '- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }\n',
}

let app: TestApp

async function upload(payload: Buffer | string) {
  const headers = { authorization: `Bearer ${await app.tokenOf('admin')}`, 'content-type': 'image/png' }
  const url = '/api/v1/files/article/cover?name=a.png'
  const { statusCode, payload: text } = await app.server.inject({ method: 'POST', url, payload, headers })
  return { status: statusCode, json: JSON.parse(text) }
}

const NO_IMAGE = (kind: string): string => `cover must be a JPEG, PNG, WebP, GIF or AVIF image, not ${kind}`
const BROKEN = 'cover must be an image that can be read: the file is damaged or incomplete'

const attacks: readonly (readonly [what: string, file: () => Buffer | string | Promise<Buffer>, message: string])[] = [
  ['HTML', () => '<!doctype html><script>alert(1)</script>', NO_IMAGE('HTML')],
  ['a program', () => 'alert(document.cookie)', NO_IMAGE('text')],
  ['a program that begins as GIF', () => 'GIF89a/*.........*/=0;alert(1)', NO_IMAGE('text')],
  ['SVG with a script', () => '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', NO_IMAGE('SVG')],
  ['SVG that refers to a file', () => '<?xml version="1.0"?><svg><image href="file:///etc/passwd"/></svg>', NO_IMAGE('SVG')],
  ['XML with entities', () => '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', NO_IMAGE('XML')],
  ['TIFF', () => picture().tiff().toBuffer(), NO_IMAGE('TIFF')],
  ['PDF', () => '%PDF-1.7\n', NO_IMAGE('PDF')],
  ['a program behind the header of a GIF', () => 'GIF89a\x01\0\x01\0\0\0\0=1;alert(1)', BROKEN],
  ['HTML behind the header of a JPEG', () => Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0<html><script>', 'latin1'), BROKEN],
  ['a pixel bomb', () => headerOfPng(60_000, 60_000), 'cover must have at most 50,000,000 pixels, not 3,600,000,000'],
  [
    'a GIF of 10,000 frames',
    () => gifOfFrames(10_000, 100),
    'cover must have at most 50,000,000 pixels in its 10,000 frames together, not 100,000,000',
  ],
  ['half a JPEG', async () => half(await withMetadata('jpeg')), BROKEN],
  ['half a PNG', async () => half(await encoded('png')), BROKEN],
  ['half a WebP', async () => half(await animation(3, 'webp')), BROKEN],
  ['half a GIF', async () => half(await animation(3, 'gif')), BROKEN],
  ['half an AVIF', async () => half(await encoded('avif')), BROKEN],
]

const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2)

describe('hostile files in a field of images', () => {
  before(async () => {
    app = await openTestApp({ files: FILES })
  })
  after(() => app[Symbol.asyncDispose]())

  for (const [what, file, message] of attacks) {
    test(`${what} is refused at the field, and leaves nothing`, async () => {
      const { status, json } = await upload(await file())
      assert.equal(status, 400)
      assert.deepEqual(json, { detail: { error: { cover: [message] } } })
      assert.deepEqual(await readdir(app.app.blobs.incoming), [])
      assert.equal((await app.app.store.status()).records.get('storedfile') ?? 0, 0)
    })
  }

  test('an image is taken after all of them', async () => {
    const { status, json } = await upload(await encoded('jpeg'))
    assert.equal(status, 201)
    assert.equal(json.data[0].type, 'image/jpeg')
  })
})
