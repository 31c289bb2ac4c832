import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typeRefusal } from '../../src/model/file-limits.ts'
import { fileRules, imageRules } from '../images/pictures.ts'

const ALL = 'must be a JPEG, PNG, WebP, GIF or AVIF image'

for (const [accept, type, refusal] of [
  [undefined, 'image/avif', undefined],
  [undefined, 'image/heic', `${ALL}, not HEIC`],
  [undefined, 'image/svg+xml', `${ALL}, not SVG`],
  [undefined, 'text/html', `${ALL}, not HTML`],
  [undefined, 'text/plain', `${ALL}, not text`],
  [undefined, 'video/mp4', `${ALL}, not video/mp4`],
  [undefined, 'application/octet-stream', ALL],
  [['image/*'], 'image/tiff', `${ALL}, not TIFF`],
  [['image/png'], 'image/jpeg', 'must be a PNG image, not JPEG'],
  [['image/png'], 'image/png', undefined],
  [['image/avif', 'image/jpeg'], 'image/png', 'must be a JPEG or AVIF image, not PNG'],
  [['image/avif'], 'image/png', 'must be an AVIF image, not PNG'],
] as const) {
  test(`an image field that accepts ${accept ?? 'all'}, and ${type}`, () =>
    assert.equal(typeRefusal(type, imageRules({ accept })), refusal))
}

for (const [accept, type, refusal] of [
  [undefined, 'application/octet-stream', undefined],
  [['application/pdf'], 'application/pdf', undefined],
  [['application/pdf'], 'text/html', 'must be of type application/pdf, not text/html'],
  [['application/pdf', 'image/*'], 'image/tiff', undefined],
  [['application/pdf', 'audio/*', 'video/*'], 'application/octet-stream', 'must be of type application/pdf, audio/* or video/*'],
  [['text/csv'], 'text/plain', undefined],
  [['text/csv'], 'text/html', 'must be of type text/csv, not text/html'],
  [['image/*'], 'text/plain', 'must be of type image/*, not text/plain'],
] as const) {
  test(`a file field that accepts ${accept ?? 'all'}, and ${type}`, () =>
    assert.equal(typeRefusal(type, fileRules(accept)), refusal))
}
