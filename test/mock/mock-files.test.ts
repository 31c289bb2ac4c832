import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { MockFiles } from '../../src/mock/mock-files.ts'
import { loadFaker } from '../../src/mock/random.ts'
import { Series } from '../../src/mock/series.ts'
import type { FieldDefinition } from '../../src/model/definition.ts'
import { filesIn } from '../../src/model/files.ts'
import { registryOf } from '../model/models.ts'

const modelOf = (...fields: readonly FieldDefinition[]) => registryOf({ name: 'Thing', fields: [...fields] }).expect('thing')

const fieldOf = (definition: Omit<FieldDefinition, 'name'>) => {
  const [field] = modelOf({ name: 'proof', ...definition }).fileFields
  assert.ok(field)
  return field
}

/** The different files of a field. */
const filesOf = (definition: Omit<FieldDefinition, 'name'>, seed = 1) => {
  const field = fieldOf(definition)
  const files = new MockFiles(seed)
  return Array.from({ length: files.count(field) }, (_, variant) => files.of('thing', field, variant))
}

const images: readonly (readonly [what: string, definition: Omit<FieldDefinition, 'name'>, files: number])[] = [
  ['without limits', { type: 'image' }, 24],
  ['of at least a size', { type: 'image', min_width: 1200, min_height: 30 }, 24],
  ['of few pixels', { type: 'image', max_pixels: 300 }, 24],
  ['of few bytes', { type: 'image', max_size: 200 }, 24],
  ['of many pixels', { type: 'image', min_width: 3000, min_height: 2000 }, 2],
]

for (const [what, definition, files] of images) {
  test(`mock images ${what} are ${files} PNG files that their field takes, by what a decoder reads`, async () => {
    const made = filesOf(definition)
    assert.equal(new Set(made.map(({ sha256 }) => sha256)).size, files)
    const {
      min_width: minWidth = 1,
      min_height: minHeight = 1,
      max_pixels: maxPixels = 5e7,
      max_size: maxSize = 1e9,
    } = definition
    for (const { bytes, width, height, type, name } of made) {
      const { format, width: readWidth, height: readHeight } = await sharp(bytes).metadata()
      await sharp(bytes, { failOn: 'warning' }).raw().toBuffer()
      assert.deepEqual([format, readWidth, readHeight, type], ['png', width, height, 'image/png'], name)
      assert.ok(
        readWidth >= minWidth && readHeight >= minHeight && readWidth * readHeight <= maxPixels,
        `${readWidth}×${readHeight}`,
      )
      assert.ok(bytes.length <= Number(maxSize), `${bytes.length} bytes`)
    }
  })
}

const accepted: readonly (readonly [accept: FieldDefinition['accept'], types: readonly string[]])[] = [
  [undefined, ['application/pdf', 'image/png', 'text/plain']],
  [['application/pdf'], ['application/pdf']],
  [
    ['image/*', 'text/plain'],
    ['image/png', 'text/plain'],
  ],
  [['video/mp4'], []],
]

for (const [accept, types] of accepted) {
  test(`mock files of a field that accepts ${accept?.join(', ') ?? 'all types'} are ${types.join(', ') || 'none'}`, () => {
    const made = filesOf({ type: 'file', ...(accept && { accept }) })
    assert.deepEqual([...new Set(made.map(({ type }) => type))].sort(), types)
    for (const { type, bytes } of made)
      if (type === 'application/pdf') assert.match(bytes.toString('latin1'), /^%PDF-1\.4\n.*%%EOF\n$/s)
  })
}

test('the offsets in a mock PDF are those of its objects', () => {
  const [{ bytes } = { bytes: Buffer.alloc(0) }] = filesOf({ type: 'file', accept: ['application/pdf'] })
  const text = bytes.toString('latin1')
  const offsets = [...text.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, digits]) => Number(digits))
  assert.equal(offsets.length, 5)
  for (const [index, offset] of offsets.entries())
    assert.ok(text.slice(offset).startsWith(`${index + 1} 0 obj\n`), `${index + 1}`)
  assert.ok(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1])).startsWith('xref\n'))
})

test('the same seed gives the same bytes, another one others', () => {
  const hashes = (seed: number) => filesOf({ type: 'file' }, seed).map(({ sha256 }) => sha256)
  assert.deepEqual(hashes(7), hashes(7))
  assert.equal(new Set([...hashes(7), ...hashes(8)]).size, 48)
})

test('mock records have files as records store them', async () => {
  const model = modelOf(
    { name: 'cover', type: 'image', required: true },
    { name: 'scans', type: 'file', multiple: true, max_files: 2, required: true },
    { name: 'film', type: 'file', accept: ['video/mp4'] },
  )
  const series = new Series({ model, source: await loadFaker(), seed: 1, secret: '' })
  for (let index = 0; index < 100; index++) {
    const { cover = null, scans = null, ...others } = series.values(index)
    assert.equal(filesIn(cover).length, 1)
    assert.ok([1, 2].includes(filesIn(scans).length))
    assert.deepEqual(others, {}, 'a field whose types mock data does not have is left out')
  }
})

test('a mandatory field of another type is an error that says why', async () => {
  const model = modelOf({ name: 'film', type: 'file', accept: ['video/mp4'], required: true })
  const series = new Series({ model, source: await loadFaker(), seed: 1, secret: '' })
  assert.throws(() => series.values(0), {
    details: {
      film: ["'film' of Thing is mandatory and accepts video/mp4; mock data has only image/png, application/pdf, text/plain"],
    },
  })
})
