import type { Json } from '../../util/json.ts'
import { accept, type FieldType, refuse } from '../field-type.ts'

/** Any JSON value, kept as it was sent. */
export const json: FieldType = {
  name: 'json',
  options: ['default'],
  operators: ['isnull'],
  sortable: false,
  searchable: false,
  secret: false,
  list: false,
  // What reaches a field has been parsed as JSON, so it is JSON.
  read: (value) => accept(value as Json),
  parse: () => refuse('can only be filtered with __isnull'),
}
