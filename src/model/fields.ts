import type { FieldTypeName } from './definition.ts'
import type { FieldType } from './field-type.ts'
import { boolean } from './fields/boolean.ts'
import { choice } from './fields/choice/choice.ts'
import { multichoice } from './fields/choice/multichoice.ts'
import { json } from './fields/json.ts'
import { decimal } from './fields/numeric/decimal.ts'
import { integer } from './fields/numeric/integer.ts'
import { number } from './fields/numeric/number.ts'
import { foreignkey } from './fields/relation/foreignkey.ts'
import { manyToMany } from './fields/relation/many-to-many.ts'
import { oneToOne } from './fields/relation/one-to-one.ts'
import { date } from './fields/temporal/date.ts'
import { datetime } from './fields/temporal/datetime.ts'
import { time } from './fields/temporal/time.ts'
import { email } from './fields/text/email.ts'
import { password } from './fields/text/password.ts'
import { slug } from './fields/text/slug.ts'
import { string } from './fields/text/string.ts'
import { text } from './fields/text/text.ts'
import { url } from './fields/text/url.ts'
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
