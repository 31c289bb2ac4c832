import { keyword, literal, type Sql, sql } from '../../sql.ts'

/** How the values of a column become those of another type. */
export interface Conversion {
  /** The value in the new type. */
  readonly using: Sql
  /** The values that can be converted without a loss; undefined if all can. */
  readonly fits?: Sql
}

/** Names of types in the catalog that differ from those of the layout. */
const CATALOG_NAMES: Readonly<Record<string, string>> = {
  'timestamp(3) with time zone': 'timestamptz(3)',
  'time(3) without time zone': 'time(3)',
}

/** The name that the layout has for a type of the catalog. */
export const typeOfCatalog = (name: string): string => CATALOG_NAMES[name] ?? name

/** Greatest integer that a number in JSON represents exactly. */
const GREATEST = literal(Number.MAX_SAFE_INTEGER)

const DATE_TEXT = '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'
const NUMBER_TEXT = '^-?[0-9]{1,100}([.][0-9]{1,100})?$'

const asText = (value: Sql): Conversion => ({ using: sql`${value}::text` })

/** The conversions of a value by `<from> → <to>`. Others are possible for rows without a value only. */
const CONVERSIONS: Readonly<Record<string, (value: Sql) => Conversion>> = {
  'bigint → double precision': (value) => ({ using: sql`${value}::double precision` }),
  'bigint → numeric': (value) => ({ using: sql`${value}::numeric` }),
  // The text of a double has the digits that identify it.
  'double precision → numeric': (value) => ({
    using: sql`${value}::text::numeric`,
    fits: sql`${value} - ${value} = 0`,
  }),
  'double precision → bigint': (value) => ({
    using: sql`${value}::bigint`,
    fits: sql`abs(${value}) <= ${GREATEST} and ${value} = trunc(${value})`,
  }),
  'numeric → bigint': (value) => ({
    using: sql`${value}::bigint`,
    fits: sql`abs(${value}) <= ${GREATEST} and ${value} = trunc(${value})`,
  }),
  'numeric → double precision': (value) => ({
    using: sql`${value}::double precision`,
    fits: sql`${value}::double precision::text::numeric = ${value}`,
  }),
  'bigint → text': asText,
  'double precision → text': asText,
  'numeric → text': (value) => ({ using: sql`trim_scale(${value})::text` }),
  'boolean → text': asText,
  'json → text': asText,
  'date → text': (value) => ({ using: sql`to_char(${value}, 'YYYY-MM-DD')` }),
  'time(3) → text': asText,
  'timestamptz(3) → text': (value) => ({ using: sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` }),
  'date → timestamptz(3)': (value) => ({ using: sql`${value}::timestamp at time zone 'UTC'` }),
  'timestamptz(3) → date': (value) => ({
    using: sql`(${value} at time zone 'UTC')::date`,
    fits: sql`date_trunc('day', ${value} at time zone 'UTC') = ${value} at time zone 'UTC'`,
  }),
  'text → bigint': (value) => ({
    using: sql`${value}::bigint`,
    fits: sql`case when ${value} ~ '^-?[0-9]{1,16}$' then abs(${value}::numeric) <= ${GREATEST} else false end`,
  }),
  'text → double precision': (value) => ({
    using: sql`${value}::double precision`,
    fits: sql`${value} ~ ${literal(NUMBER_TEXT)}`,
  }),
  'text → numeric': (value) => ({ using: sql`${value}::numeric`, fits: sql`${value} ~ ${literal(NUMBER_TEXT)}` }),
  'text → boolean': (value) => ({ using: sql`${value}::boolean`, fits: sql`${value} in ('true', 'false')` }),
  // make_date reports an error for the 30th of February, so the day is compared with the length of the month.
  'text → date': (value) => ({
    using: sql`${value}::date`,
    fits: sql`case when ${value} ~ ${literal(DATE_TEXT)} then
      right(${value}, 2)::int <= extract(day from (left(${value}, 7) || '-01')::date + interval '1 month - 1 day') else false end`,
  }),
  'text → json': (value) => ({ using: sql`to_json(${value})` }),
  'text → text[]': (value) => ({ using: sql`array[${value}]` }),
  'text[] → text': (value) => ({ using: sql`${value}[1]`, fits: sql`cardinality(${value}) <= 1` }),
  'text[] → json': (value) => ({ using: sql`array_to_json(${value})` }),
  'bigint → json': (value) => ({ using: sql`to_json(${value})` }),
  'double precision → json': (value) => ({ using: sql`to_json(${value})` }),
  'boolean → json': (value) => ({ using: sql`to_json(${value})` }),
}

/** The conversion of a column. @param from type of the catalog @param to type of the layout */
export function conversionOf(value: Sql, from: string, to: string): Conversion {
  const convert = CONVERSIONS[`${typeOfCatalog(from)} → ${to}`]
  return convert?.(value) ?? { using: sql`null::${keyword(to)}`, fits: sql`false` }
}
