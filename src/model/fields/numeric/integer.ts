import { accept, type FieldType, reject } from '../../field-type.ts'
import { number } from './number.ts'

/** An integer that a double holds exactly: ±(2^53 − 1). */
export const integer: FieldType = {
  ...number,
  name: 'integer',
  read: (value) => (Number.isSafeInteger(value) ? accept(Number(value) + 0) : reject('must be an integer')),
  parse: (text) => (/^[+-]?\d+$/.test(text) ? integer.read(Number(text)) : reject('must be an integer')),
}
