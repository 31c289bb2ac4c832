import { EQUALITY, type FieldType } from '../../field-type.ts'
import { integer } from '../numeric/integer.ts'

/** The id of a record of another model, or of the same one. */
export const foreignkey: FieldType = {
  ...integer,
  name: 'foreignkey',
  options: ['unique', 'default', 'model', 'on_delete'],
  operators: [...EQUALITY, 'gt', 'gte', 'lt', 'lte'],
}
