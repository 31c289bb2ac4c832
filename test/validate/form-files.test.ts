import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoredFile } from '../../src/model/files.ts'
import type { Json, JsonObject } from '../../src/util/json.ts'
import { checkForm, compileForm } from '../../src/validate/form.ts'
import { FieldIssues } from '../../src/validate/issues.ts'
import { modelOf } from '../model/models.ts'

const model = modelOf(
  { name: 'title', type: 'string' },
  { name: 'cover', type: 'image', max_size: '8 MiB', min_width: 1200 },
  { name: 'any', type: 'file' },
  { name: 'papers', type: 'file', multiple: true, max_files: 3, accept: ['application/pdf', 'text/*'] },
)

const file = (members: Partial<StoredFile> = {}): StoredFile => ({
  ...{ id: 'k3J9x0aQ2m-1', name: 'a', type: 'application/pdf', size: 100, sha256: 'ab', width: null, height: null, alt: null },
  uploaded_at: '2026-01-01T00:00:00.000Z',
  ...members,
})

const compiled = (name: string, options: JsonObject) => compileForm({ name: 'F', fields: [{ name, options }] }, model)

describe('files under a form', () => {
  const rows: readonly (readonly [what: string, field: string, options: JsonObject, value: Json, message?: string])[] = [
    ['a size below that of the form', 'cover', { max_size: '1 KiB' }, file({ type: 'image/png', size: 1024 })],
    [
      'a size above that of the form',
      'cover',
      { max_size: '1 KiB' },
      file({ type: 'image/png', size: 1025 }),
      'cover must not be larger than 1 KiB',
    ],
    ['a limit of the model, which the upload has judged', 'cover', { max_size: 2000 }, file({ type: 'image/png', width: 10 })],
    [
      'a size that only the form allows',
      'cover',
      { max_size: '9 MiB' },
      file({ type: 'image/png', size: 9 * 2 ** 20 }),
      'cover must not be larger than 8 MiB',
    ],
    [
      'a type that the form does not take',
      'cover',
      { accept: ['image/png', 'image/webp'] },
      file({ type: 'image/jpeg' }),
      'cover must be a PNG or WebP image, not JPEG',
    ],
    ['a type of a group that the model takes', 'papers', { accept: ['text/csv'] }, [file({ type: 'text/csv' })]],
    ['a type of the model in a group of the form', 'papers', { accept: ['application/*'] }, [file()]],
    [
      'a type of the form that the model does not take',
      'papers',
      { accept: ['application/*'] },
      [file(), file({ type: 'application/zip' })],
      'papers must be of type application/pdf, not application/zip',
    ],
    ['as many files as the form allows', 'papers', { max_files: 2 }, [file(), file()]],
    ['too many files for the form', 'papers', { max_files: 2 }, [file(), file(), file()], 'papers must have at most 2 files'],
    ['one file too many', 'papers', { max_files: 1 }, [file(), file()], 'papers must have at most 1 file'],
    [
      'more files than the model allows',
      'papers',
      { max_files: 9 },
      [file(), file(), file(), file()],
      'papers must have at most 3 files',
    ],
    ['any type without `accept` of the model', 'any', { accept: ['image/*'] }, file({ type: 'image/heic' })],
    ['options of a field that has no files', 'title', { accept: '.pdf', max_size: 'large' }, 'text'],
    ['no file', 'cover', { max_size: 1 }, null],
  ]
  for (const [what, field, options, value, message] of rows) {
    test(what, () => {
      const { form, problems } = compiled(field, options)
      assert.deepEqual(problems, [])
      const issues = new FieldIssues()
      checkForm(form, { [field]: value }, new Set(), issues)
      assert.deepEqual(issues.toMessages(), message === undefined ? {} : { [field]: [message] })
    })
  }
})

describe('options of file fields that cannot be used', () => {
  const rows: readonly (readonly [field: string, options: JsonObject, problem: RegExp])[] = [
    ['cover', { max_size: '8 MB' }, /The options of 'cover' cannot be used: "max_size" must be a number of bytes/],
    ['cover', { accept: ['.png'] }, /'.png' is no media type/],
    ['cover', { accept: 'image/png' }, /"accept" must be an array/],
    ['papers', { max_files: 0 }, /"max_files" must be greater than or equal to 1/],
    ['papers', { accept: ['image/*'] }, /'accept' has no type that the model accepts \(application\/pdf, text\/\*\)/],
  ]
  for (const [field, options, problem] of rows) {
    test(`${field}: ${JSON.stringify(options)}`, () => {
      const [only, ...others] = compiled(field, options).problems
      assert.match(only?.message ?? '', problem)
      assert.deepEqual(others, [])
    })
  }
})
