import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectType, SAMPLE_BYTES } from '../../src/images/file-types.ts'
import { encoded, FORMATS } from './pictures.ts'

/** The box that begins a file of the ISO base media file format. */
const ftyp = (brand: string): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0mif1${brand}`, 'latin1')])

const ZIP = Buffer.from('504b03041400000000000000000000000000000000000000000001000000', 'hex')

const cases: readonly (readonly [what: string, bytes: Buffer | string, type: string])[] = [
  ['HEIC', ftyp('heic'), 'image/heic'],
  ['TIFF', Buffer.from('49492a00080000000000', 'hex'), 'image/tiff'],
  ['BMP', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]), 'image/bmp'],
  ['PDF', '%PDF-1.7\n%âãÏÓ\n', 'application/pdf'],
  ['PDF with bytes', Buffer.from('255044462d312e370a25e2e3cfd30a', 'hex'), 'application/pdf'],
  ['ZIP', ZIP, 'application/zip'],
  ['MP4', ftyp('isom'), 'video/mp4'],
  [
    'MP3',
    Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0'), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(400)]),
    'audio/mpeg',
  ],
  ['text', 'Hello', 'text/plain'],
  ['text of umlauts and emoji', 'Größe 😀\r\n\t日本語', 'text/plain'],
  ['text with a byte order mark', '\ufeffHello', 'text/plain'],
  ['an empty file', '', 'text/plain'],
  ['text whose last character the sample cuts', 'ä'.padStart(SAMPLE_BYTES, 'x'), 'text/plain'],
  ['text that begins as BMP', 'BMW is a car', 'text/plain'],
  ['text that begins as an archive', '070707 is no number', 'text/plain'],
  ['a program that begins as GIF', 'GIF89a/*........*/=1;alert(1)', 'text/plain'],
  ['a program', 'alert(document.cookie)', 'text/plain'],
  ['JSON', '{"a": 1}', 'text/plain'],
  ['a mail address in brackets', '<jo@example.com> wrote', 'text/plain'],
  ['a smaller-than sign', '<3 you', 'text/plain'],
  ['a zero byte in text', 'Hello\0', 'application/octet-stream'],
  ['an escape character in text', 'Hello\x1b[31m', 'application/octet-stream'],
  ['a control character of ISO 8859-1', 'Hello\u0085', 'application/octet-stream'],
  ['ISO 8859-1', Buffer.from('Größe', 'latin1'), 'application/octet-stream'],
  ['an incomplete character at the end', Buffer.from('Größ', 'utf8').subarray(0, -1), 'application/octet-stream'],
  ['random bytes', Buffer.from('fedcba9876543210', 'hex'), 'application/octet-stream'],
  ['HTML', '<!DOCTYPE html><title>x</title>', 'text/html'],
  ['HTML after white space and a byte order mark', '\ufeff \n\t<HTML><script>alert(1)</script>', 'text/html'],
  ['HTML after a comment', '<!-- GIF89a --><p>x', 'text/html'],
  ['a script', '<script>alert(1)</script>', 'text/html'],
  ['an image of HTML', '<img src=x onerror=alert(1)>', 'text/html'],
  ['HTML in ISO 8859-1', Buffer.from('<html>Größe', 'latin1'), 'text/html'],
  ['HTML with zero bytes', '<html>\0\0', 'text/html'],
  ['a comment that does not end', '<!-- <svg', 'text/html'],
  ['XHTML', '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"/>', 'text/html'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['SVG of XML', '<?xml version="1.0"?>\n<!-- made -->\n<!DOCTYPE svg PUBLIC "x" "y"><svg/>', 'image/svg+xml'],
  ['SVG with a prefix', '<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['SVG after a comment', '<!-- x --><SVG>', 'image/svg+xml'],
  ['XML', '<?xml version="1.0"?><feed/>', 'application/xml'],
  ['XML without a declaration', '<feed xmlns="x"/>', 'application/xml'],
  ['XML in UTF-16', Buffer.from('\ufeff<?xml version="1.0"?><svg/>', 'utf16le'), 'application/xml'],
]

for (const [what, bytes, type] of cases) {
  test(`${what} is ${type}`, async () => assert.equal(await detectType(Buffer.from(bytes as string)), type))
}

for (const format of FORMATS) {
  test(`${format} is image/${format}`, async () => {
    assert.equal(await detectType((await encoded(format)).subarray(0, SAMPLE_BYTES)), `image/${format}`)
  })
}

test('an animated PNG is image/png', async () => {
  const plain = await encoded('png')
  const control = Buffer.from('000000086163544c000000010000000000000000', 'hex')
  assert.equal(await detectType(Buffer.concat([plain.subarray(0, 33), control, plain.subarray(33)])), 'image/png')
})
