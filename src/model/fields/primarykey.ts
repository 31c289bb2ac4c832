import type { FieldType } from '../field-type.ts'
import { integer } from './numeric/integer.ts'

/** The server-assigned `id` of a record: an integer from 1, never reused. */
export const primarykey: FieldType = { ...integer, name: 'primarykey', options: [] }
