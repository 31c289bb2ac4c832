import { accept, type FieldType, reject } from '../../field-type.ts'
import { textLike } from './text-like.ts'

const text = textLike('password')

/**
 * A secret: accepted in plain text, stored as an argon2id hash, never returned. Limits and the hash are those of its normal form (NFKC; NIST
 * SP 800-63B, section 5.1.1.2), since systems send the same letters in different forms.
 */
export const password: FieldType = {
  ...text,
  read(raw) {
    const reading = text.read(raw)
    return reading.ok && typeof reading.value === 'string' ? accept(reading.value.normalize('NFKC')) : reading
  },
  options: ['min_length', 'max_length', 'pattern'],
  operators: [],
  sortable: false,
  searchable: false,
  secret: true,
  parse: () => reject('cannot be filtered'),
}
