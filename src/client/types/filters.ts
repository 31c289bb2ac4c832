import type { ModelTypes } from './models.ts'

type Scalar = string | number | boolean

type TextOperator = 'icontains' | 'startswith' | 'endswith'
type OrderOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** The part of a filter before `=`: `title__icontains`. */
type FilterName<Filter extends string> = string extends Filter ? string : Filter extends `${infer Name}=${string}` ? Name : never

/** The field in front of one of these operators; `never` without one. */
type Before<Name extends string, Operator extends string> = Operator extends string
  ? Name extends `${infer Field}__${Operator}`
    ? Field
    : never
  : never

/** The type that a field is compared with: the items of a list, the id of a related record. */
type Compared<Value> = Value extends readonly (infer Item)[]
  ? Compared<Item>
  : Value extends { readonly id: number }
    ? number
    : Value extends Scalar
      ? Value
      : Value extends null | undefined
        ? never
        : Scalar

type Item<Value> = NonNullable<Value> extends readonly (infer Each)[] ? Each : NonNullable<Value>

/** The type that a field, or a field of a related record (`author__name`), is compared with. */
type ValueOf<RecordType, Field extends string> = Field extends keyof RecordType
  ? unknown extends RecordType[Field]
    ? Scalar
    : Compared<RecordType[Field]>
  : Field extends `${infer Relation}__${infer Rest}`
    ? Relation extends keyof RecordType
      ? ValueOf<Item<RecordType[Relation]>, Rest>
      : Scalar
    : Scalar

/** The value of a filter. The types do not name the fields beyond two relations, which take any value. */
type FilterValue<RecordType, Name extends string> = string extends Name
  ? AnyValue
  : Name extends `${string}__${string}__${infer Rest}`
    ? string extends Rest
      ? AnyValue
      : KnownValue<RecordType, Name>
    : KnownValue<RecordType, Name>

type AnyValue = Scalar | null | readonly Scalar[]

/** The value of a filter by its operator. */
type KnownValue<RecordType, Name extends string> = Name extends `${string}__isnull`
  ? boolean
  : Name extends `${infer Field}__in`
    ? readonly ValueOf<RecordType, Field>[]
    : Name extends `${string}__${TextOperator}`
      ? string
      : Name extends `${string}__${OrderOperator}`
        ? ValueOf<RecordType, Before<Name, OrderOperator>>
        : Name extends `${infer Field}__ne`
          ? ValueOf<RecordType, Field> | null
          : ValueOf<RecordType, Name> | null

/**
 * Filters of records; a record must match all of them.
 *
 * Either an object with keys `<field>[__<operator>]`, where `null` means a field that is null and `__in` takes a list, or a list of strings
 * as the API takes them: `status=draft`.
 */
export type Filters<M extends ModelTypes> =
  | { readonly [Name in FilterName<M['filter']>]?: FilterValue<M['record'], Name> | undefined }
  | readonly M['filter'][]
