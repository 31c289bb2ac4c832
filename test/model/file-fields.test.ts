import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Faults } from '../../src/config/fault.ts'
import { flatSource } from '../../src/config/source.ts'
import { parseField } from '../../src/model/parse-field.ts'

function parsed(field: object) {
  const faults = new Faults()
  const read = parseField(field, ['fields', 0], flatSource('models/a.yaml'), faults)
  return { read, faults: faults.list.map(({ message }) => message) }
}

describe('definitions of file fields', () => {
  test('an image with thumbnails', () => {
    const { read, faults } = parsed({
      ...{ name: 'cover', type: 'image', max_size: '8 MiB', min_width: 1200, metadata: 'keep' },
      thumbnails: {
        card: '640x360',
        wide: '640x',
        tall: 'x360',
        square: { width: 200, height: 200, format: 'jpeg', quality: 70 },
      },
    })
    assert.deepEqual(faults, [])
    assert.deepEqual(read?.file, {
      ...{
        isImage: true,
        maxFiles: 1,
        maxSize: 8_388_608,
        accept: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
      },
      thumbnails: new Map<string, object>([
        ['preview', { width: 256, height: 256, fit: 'inside', format: 'webp' }],
        ['card', { width: 640, height: 360, fit: 'cover', format: 'webp' }],
        ['wide', { width: 640, fit: 'cover', format: 'webp' }],
        ['tall', { height: 360, fit: 'cover', format: 'webp' }],
        ['square', { width: 200, height: 200, fit: 'cover', format: 'jpeg', quality: 70 }],
      ]),
      ...{ minWidth: 1200, minHeight: undefined, maxPixels: 50_000_000, keepsMetadata: true },
    })
    assert.equal(read?.type.list, false)
  })

  test('several files', () => {
    const { read, faults } = parsed({
      name: 'scans',
      type: 'file',
      multiple: true,
      max_files: 30,
      accept: ['application/pdf', 'image/*'],
    })
    assert.deepEqual(faults, [])
    assert.equal(read?.type.list, true)
    assert.equal(read?.file?.maxFiles, 30)
    assert.deepEqual([...(read?.file?.thumbnails ?? [])], [])
  })

  const FAULTS: Readonly<Record<string, object>> = {
    "'max_size' must be a number of bytes, or a text such as 8 MiB (KiB, MiB, GiB), from 1 byte to 1048576 GiB": {
      type: 'file',
      max_size: '8 MB',
    },
    "'pdf' is no media type; write one such as application/pdf or image/*": { type: 'file', accept: ['pdf'] },
    "'640' is no size of a thumbnail; write WIDTHxHEIGHT, WIDTHx or xHEIGHT in pixels, each side at most 4096": {
      type: 'image',
      thumbnails: { card: '640' },
    },
    "'0x5000' is no size of a thumbnail; write WIDTHxHEIGHT, WIDTHx or xHEIGHT in pixels, each side at most 4096": {
      type: 'image',
      thumbnails: { card: '0x5000' },
    },
  }
  for (const [message, field] of Object.entries(FAULTS))
    test(message, () => assert.deepEqual(parsed({ name: 'a', ...field }).faults, [message]))

  const REFUSED: Readonly<Record<string, object>> = {
    'a default': { type: 'file', default: 'x' },
    unique: { type: 'file', unique: true },
    'thumbnails of a file': { type: 'file', thumbnails: { card: '640x360' } },
    'a thumbnail named preview': { type: 'image', thumbnails: { preview: '640x360' } },
    'eleven thumbnails': {
      type: 'image',
      thumbnails: Object.fromEntries('abcdefghijk'.split('').map((name) => [name, '10x10'])),
    },
    'a thumbnail without sides': { type: 'image', thumbnails: { card: { format: 'png' } } },
    '101 files': { type: 'file', multiple: true, max_files: 101 },
  }
  for (const [what, field] of Object.entries(REFUSED))
    test(`${what} is refused`, () => assert.equal(parsed({ name: 'a', ...field }).faults.length, 1))
})
