import { isPlainText, NOT_PLAIN } from '../../../util/plain-text.ts'
import { accept, EQUALITY, type FieldType, reject } from '../../field-type.ts'

/** A subset of the choices, in the given order. */
export const multichoice: FieldType = {
  name: 'multichoice',
  options: ['choices', 'default'],
  operators: EQUALITY,
  sortable: false,
  searchable: true,
  secret: false,
  list: true,
  read(value) {
    if (!Array.isArray(value)) return reject('must be an array')
    const items: unknown[] = value
    if (!items.every((item) => typeof item === 'string')) return reject('must be an array of strings')
    return items.every(isPlainText) ? accept([...new Set(items)]) : reject(NOT_PLAIN)
  },
  parse: (text) => accept(text),
}
