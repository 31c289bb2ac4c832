import type { FieldTypeName } from './definition.ts'
import type { FieldType } from './field-type.ts'
import { boolean } from './fields/boolean.ts'
import { choice } from './fields/choice.ts'
import { date } from './fields/date.ts'
import { datetime } from './fields/datetime.ts'
import { decimal } from './fields/decimal.ts'
import { email } from './fields/email.ts'
import { foreignkey } from './fields/foreignkey.ts'
import { integer } from './fields/integer.ts'
import { json } from './fields/json.ts'
import { manyToMany } from './fields/many-to-many.ts'
import { multichoice } from './fields/multichoice.ts'
import { number } from './fields/number.ts'
import { oneToOne } from './fields/one-to-one.ts'
import { password } from './fields/password.ts'
import { slug } from './fields/slug.ts'
import { string } from './fields/string.ts'
import { text } from './fields/text.ts'
import { time } from './fields/time.ts'
import { url } from './fields/url.ts'
import { uuid } from './fields/uuid.ts'

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
  json,
  uuid,
  foreignkey,
  many_to_many: manyToMany,
  one_to_one: oneToOne,
}
