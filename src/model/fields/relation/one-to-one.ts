import type { FieldType } from '../../field-type.ts'
import { foreignkey } from './foreignkey.ts'

/** A unique foreign key. */
export const oneToOne: FieldType = { ...foreignkey, name: 'one_to_one', options: ['model', 'on_delete'] }
