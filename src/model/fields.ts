import type { FieldDefinition, FieldTypeName } from './definition.ts'
import type { FieldType } from './field-type.ts'
import { file, image, severalFiles, severalImages } from './fields/file.ts'
import { decimal, integer, number } from './fields/numeric.ts'
import { boolean, choice, jsonType, multichoice, uuid } from './fields/other.ts'
import { foreignkey, manyToMany, oneToOne } from './fields/relation.ts'
import { date, datetime, time } from './fields/temporal.ts'
import { email, password, slug, string, text, url } from './fields/text.ts'

/** Every field type by name. */
export const FIELD_TYPES: Readonly<Record<FieldTypeName, FieldType>> = {
  string,
  text,
  email,
  url,
  slug,
  password,
  integer,
  number,
  decimal,
  boolean,
  date,
  time,
  datetime,
  choice,
  multichoice,
  json: jsonType,
  uuid,
  foreignkey,
  many_to_many: manyToMany,
  one_to_one: oneToOne,
  file,
  image,
}

/** The type of a field as it is defined: a file field with `multiple` has a list. */
export function fieldTypeOf({ type, multiple = false }: Pick<FieldDefinition, 'type' | 'multiple'>): FieldType {
  if (!multiple) return FIELD_TYPES[type]
  return type === 'image' ? severalImages : type === 'file' ? severalFiles : FIELD_TYPES[type]
}
