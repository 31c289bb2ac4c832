import { canonicalDecimal, MAX_DIGITS } from '../../../util/numbers/decimal.ts'
import { LongNumeral } from '../../../util/numbers/numeral.ts'
import { accept, EQUALITY, type FieldType, ORDER, reject } from '../../field-type.ts'

/** Significant digits that every double keeps (IEEE 754). */
const EXACT_DIGITS = 15

/** An exact decimal number, stored as its shortest numeral. */
export const decimal: FieldType = {
  name: 'decimal',
  options: ['unique', 'default', 'decimal_places', 'gt', 'lt', 'gte', 'lte'],
  operators: [...EQUALITY, ...ORDER],
  ordering: 'decimal',
  sortable: true,
  searchable: false,
  secret: false,
  list: false,
  read(value) {
    if (typeof value === 'string') return decimal.parse(value)
    const text = typeof value === 'number' ? String(value) : value instanceof LongNumeral ? value.text : ''
    const numeral = canonicalDecimal(text)
    if (numeral === undefined) return reject('must be a decimal number')
    const isExact = numeral.replace(/[-.]/g, '').replace(/^0+/, '').length <= EXACT_DIGITS
    return isExact
      ? accept(numeral)
      : reject(`must be written as text, such as "12.50", since it has more than ${EXACT_DIGITS} digits`)
  },
  parse(text) {
    const numeral = canonicalDecimal(text)
    return numeral === undefined ? reject(`must be a decimal number of at most ${MAX_DIGITS} digits`) : accept(numeral)
  },
}
