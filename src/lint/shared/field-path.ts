import type { Path } from '../../config/source.ts'
import { isObject } from '../../util/json.ts'

/** Path of a field in a model's definition; the path of all fields for an implicit one. */
export function fieldPath(definition: unknown, name: string): Path {
  const fields = isObject(definition) && Array.isArray(definition.fields) ? definition.fields : []
  const index = fields.findIndex((field: unknown) => isObject(field) && field.name === name)
  return index === -1 ? ['fields'] : ['fields', index]
}
