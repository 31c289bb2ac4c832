import { isKeptExactly, LongNumeral } from '../../../util/numbers/numeral.ts'
import { accept, EQUALITY, type FieldType, ORDER, reject } from '../../field-type.ts'

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i

/** A finite double (IEEE 754). */
export const number: FieldType = {
  name: 'number',
  options: ['unique', 'default', 'choices', 'gt', 'lt', 'gte', 'lte'],
  operators: [...EQUALITY, ...ORDER],
  sortable: true,
  searchable: false,
  secret: false,
  list: false,
  read(value) {
    const double = value instanceof LongNumeral ? value.toJSON() : value
    return typeof double === 'number' && Number.isFinite(double) ? accept(double + 0) : reject('must be a number')
  },
  parse: (text) => (DECIMAL.test(text) && isKeptExactly(text) ? number.read(Number(text)) : reject('must be a number')),
}
