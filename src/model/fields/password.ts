import { type FieldType, refuse } from '../field-type.ts'
import { textLike } from './text-like.ts'

/** A secret: read as plain text, stored as argon2id, never given out again. */
export const password: FieldType = {
  ...textLike('password'),
  options: ['min_length', 'max_length', 'pattern'],
  operators: [],
  sortable: false,
  searchable: false,
  secret: true,
  parse: () => refuse('cannot be filtered'),
}
