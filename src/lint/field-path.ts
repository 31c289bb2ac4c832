import type { Path } from '../config/source.ts'
import { isObject } from '../util/json.ts'

/** Where a model's definition has a field; the fields as a whole for one that it has by itself. */
export function fieldPath(definition: unknown, name: string): Path {
  const fields = isObject(definition) && Array.isArray(definition.fields) ? definition.fields : []
  const index = fields.findIndex((field: unknown) => isObject(field) && field.name === name)
  return index === -1 ? ['fields'] : ['fields', index]
}
