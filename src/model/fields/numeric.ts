import { canonicalDecimal, MAX_DIGITS } from '../../util/decimal.ts'
import { isKeptExactly, LongNumeral } from '../../util/numeral.ts'
import { accept, EQUALITY, type FieldType, ORDER, reject, SINGLE_VALUE } from '../field-type.ts'

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i

/** A finite double (IEEE 754). */
export const number: FieldType = {
  ...SINGLE_VALUE,
  name: 'number',
  options: ['unique', 'default', 'choices', 'gt', 'lt', 'gte', 'lte'],
  operators: [...EQUALITY, ...ORDER],
  read(value) {
    const double = value instanceof LongNumeral ? value.toJSON() : value
    return typeof double === 'number' && Number.isFinite(double) ? accept(double + 0) : reject('must be a number')
  },
  parse: (text) => (DECIMAL.test(text) && isKeptExactly(text) ? number.read(Number(text)) : reject('must be a number')),
}

/** An integer that a double holds exactly: ±(2^53 − 1). */
export const integer: FieldType = {
  ...number,
  name: 'integer',
  read: (value) => (Number.isSafeInteger(value) ? accept(Number(value) + 0) : reject('must be an integer')),
  parse: (text) => (/^[+-]?\d+$/.test(text) ? integer.read(Number(text)) : reject('must be an integer')),
}

/** The server-assigned `id` of a record: an integer from 1, never reused. */
export const primarykey: FieldType = { ...integer, name: 'primarykey', options: [] }

/** Significant digits that every double keeps (IEEE 754). */
const EXACT_DIGITS = 15

/** An exact decimal number, stored as its shortest numeral. */
export const decimal: FieldType = {
  ...SINGLE_VALUE,
  name: 'decimal',
  options: ['unique', 'default', 'decimal_places', 'gt', 'lt', 'gte', 'lte'],
  operators: [...EQUALITY, ...ORDER],
  ordering: 'decimal',
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
