import { isPlainText, NOT_PLAIN } from '../../util/text.ts'
import { parseUrl } from '../../util/urls.ts'
import type { FieldTypeName } from '../definition.ts'
import { accept, EQUALITY, type FieldOption, type FieldType, ORDER, reject, TEXT_MATCH } from '../field-type.ts'

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
    structured: false,
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

/** Text on one line; the type does not enforce this. */
export const string = textLike('string', { options: ['choices'] })

/** Text of any length, over several lines. */
export const text = textLike('text')

/** Letters, digits, hyphens and underscores, which need no escaping in a URL. */
export const slug = textLike('slug', { wellFormed: (text) => /^[A-Za-z0-9_-]+$/.test(text) })

// The "valid e-mail address" of the HTML standard, as in <input type=email>.
const ADDRESS =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** An e-mail address, at most 254 characters (RFC 5321). */
export const email = textLike('email', { wellFormed: (address) => address.length <= 254 && ADDRESS.test(address) })

/** An absolute http or https URL (WHATWG). */
export const url = textLike('url', {
  wellFormed: (address) => /^https?:\/\/\S+$/i.test(address) && parseUrl(address) !== undefined,
})

const asText = textLike('password')

/**
 * A secret: accepted in plain text, stored as an argon2id hash, never returned. Limits and the hash are those of its normal form (NFKC; NIST
 * SP 800-63B, section 5.1.1.2), since systems send the same letters in different forms.
 */
export const password: FieldType = {
  ...asText,
  read(raw) {
    const reading = asText.read(raw)
    return reading.ok && typeof reading.value === 'string' ? accept(reading.value.normalize('NFKC')) : reading
  },
  options: ['min_length', 'max_length', 'pattern'],
  operators: [],
  sortable: false,
  searchable: false,
  secret: true,
  parse: () => reject('cannot be filtered'),
}
