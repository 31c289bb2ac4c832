import { accept, type FieldType, refuse } from '../field-type.ts'
import { number } from './number.ts'

/** An integer that a double holds exactly: ±(2^53 − 1). */
export const integer: FieldType = {
  ...number,
  name: 'integer',
  read: (value) => (Number.isSafeInteger(value) ? accept(Number(value) + 0) : refuse('must be an integer')),
  parse: (text) => (/^[+-]?\d+$/.test(text) ? integer.read(Number(text)) : refuse('must be an integer')),
}
