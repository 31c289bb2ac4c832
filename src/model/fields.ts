import type { FieldTypeName } from './definition.ts'
import type { FieldType } from './field-type.ts'
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
}
