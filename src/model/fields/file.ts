import type { Json } from '../../util/json.ts'
import { accept, type FieldOption, type FieldType, reject } from '../field-type.ts'
import { FileProblem, isStoredFile } from '../files.ts'

const FILE_OPTIONS = ['multiple', 'max_files', 'max_size', 'accept'] as const satisfies readonly FieldOption[]

const IMAGE_OPTIONS = [
  ...FILE_OPTIONS,
  ...(['thumbnails', 'min_width', 'min_height', 'max_pixels', 'metadata'] as const),
] as const satisfies readonly FieldOption[]

/** A field of stored files. Before a value is read, the ids of a request have been replaced by the files that they name, or by a problem. */
const fileType = (name: 'file' | 'image', list: boolean): FieldType => ({
  name,
  options: name === 'image' ? IMAGE_OPTIONS : FILE_OPTIONS,
  operators: ['isnull'],
  sortable: false,
  searchable: true,
  secret: false,
  list,
  structured: true,
  read(value) {
    if (value instanceof FileProblem) return reject(value.problem)
    const items: readonly unknown[] = list && Array.isArray(value) ? value : [value]
    if (list !== Array.isArray(value) || !items.every(isStoredFile))
      return reject(list ? 'must be an array of ids of uploads' : 'must be the id of an upload')
    return accept(value as Json)
  },
  parse: () => reject('can only be filtered with __isnull'),
})

/** A file. */
export const file = fileType('file', false)
/** An image. */
export const image = fileType('image', false)

/** Several files, in their order. */
export const severalFiles = fileType('file', true)
/** Several images, in their order. */
export const severalImages = fileType('image', true)
