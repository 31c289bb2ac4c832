import { isPlainText, NOT_PLAIN } from '../../../util/plain-text.ts'
import type { FieldTypeName } from '../../definition.ts'
import { accept, EQUALITY, type FieldOption, type FieldType, ORDER, reject, TEXT_MATCH } from '../../field-type.ts'

const TEXT_OPTIONS: readonly FieldOption[] = ['unique', 'default', 'min_length', 'max_length', 'pattern']

/** A type of text in a format that `wellFormed` checks. */
export function textLike(
  name: FieldTypeName,
  { options = [], wellFormed }: { options?: readonly FieldOption[]; wellFormed?: (text: string) => boolean } = {},
): FieldType {
  return {
    name,
    options: [...TEXT_OPTIONS, ...options],
    operators: [...EQUALITY, ...TEXT_MATCH, ...ORDER],
    sortable: true,
    searchable: true,
    secret: false,
    list: false,
    read(value) {
      if (typeof value !== 'string') return reject('must be a string')
      if (!isPlainText(value)) return reject(NOT_PLAIN)
      // Empty texts are left to `required` and `min_length`.
      return wellFormed === undefined || value === '' || wellFormed(value) ? accept(value) : reject('format is invalid')
    },
    // Filters compare any text, well-formed or not.
    parse: (text) => accept(text),
  }
}
