import { accept, EQUALITY, type FieldType, reject } from '../field-type.ts'

/** `true` or `false`. */
export const boolean: FieldType = {
  name: 'boolean',
  options: ['default'],
  operators: EQUALITY,
  sortable: true,
  searchable: false,
  secret: false,
  list: false,
  read: (value) => (typeof value === 'boolean' ? accept(value) : reject('must be a boolean')),
  parse: (text) => (text === 'true' || text === 'false' ? accept(text === 'true') : reject('must be true or false')),
}
