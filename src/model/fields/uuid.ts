import { accept, EQUALITY, type FieldType, reject } from '../field-type.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A universally unique identifier (RFC 9562), stored in lower case. */
export const uuid: FieldType = {
  name: 'uuid',
  options: ['unique', 'default'],
  operators: EQUALITY,
  sortable: true,
  searchable: false,
  secret: false,
  list: false,
  read: (value) => (typeof value === 'string' && UUID.test(value) ? accept(value.toLowerCase()) : reject('must be a UUID')),
  parse: (text) => uuid.read(text),
}
