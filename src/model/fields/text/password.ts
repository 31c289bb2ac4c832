import { type FieldType, reject } from '../../field-type.ts'
import { textLike } from './text-like.ts'

/** A secret: accepted in plain text, stored as an argon2id hash, never returned. */
export const password: FieldType = {
  ...textLike('password'),
  options: ['min_length', 'max_length', 'pattern'],
  operators: [],
  sortable: false,
  searchable: false,
  secret: true,
  parse: () => reject('cannot be filtered'),
}
