/** What is known of a model at compile time: a member of `All_Models`, which `admin types` writes. */
export interface ModelTypes {
  readonly record: { readonly id: number }
  readonly create: object
  readonly update: object
  readonly forms: object
  readonly filter: string
  readonly column: string
  readonly include: string
  readonly sortKey: string
  readonly searched: string
}

type Values = Readonly<Record<string, unknown>>

/** A model of which nothing is known. */
export interface AnyModel extends ModelTypes {
  readonly record: { readonly id: number; readonly [field: string]: unknown }
  readonly create: Values
  readonly update: Values
  readonly forms: Readonly<Record<string, { readonly create: Values; readonly update: Values }>>
}

/** Models of which nothing is known. */
export type AnyModels = Readonly<Record<string, AnyModel>>

type Scalar = string | number | boolean

type TextOperator = 'icontains' | 'startswith' | 'endswith'
type OrderOperator = 'gt' | 'gte' | 'lt' | 'lte'

/** The left sides of filters: `title__icontains`. */
type FilterName<Filter extends string> = string extends Filter ? string : Filter extends `${infer Name}=${string}` ? Name : never

/** A field before one of these operators; never without. */
type Before<Name extends string, Operator extends string> = Operator extends string
  ? Name extends `${infer Field}__${Operator}`
    ? Field
    : never
  : never

/** What one value of a field is compared with: an item of a list, the id of a related record. */
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

/** What a field, or one of a related record, is compared with. */
type ValueOf<RecordType, Field extends string> = Field extends keyof RecordType
  ? unknown extends RecordType[Field]
    ? Scalar
    : Compared<RecordType[Field]>
  : Field extends `${infer Relation}__${infer Rest}`
    ? Relation extends keyof RecordType
      ? ValueOf<Item<RecordType[Relation]>, Rest>
      : Scalar
    : Scalar

type FilterValue<RecordType, Name extends string> = string extends Name
  ? Scalar | null | readonly Scalar[]
  : Name extends `${string}__isnull`
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
 * Which records are meant; all filters must hold. An object of `<field>[__<operator>]` and values, where null means empty and
 * `__in` takes a list; or the texts that the API takes, `status=draft`.
 */
export type Filters<M extends ModelTypes> =
  | { readonly [Name in FilterName<M['filter']>]?: FilterValue<M['record'], Name> | undefined }
  | readonly M['filter'][]

/** A record of which only some members were asked for. */
export type Part<M extends ModelTypes, Column extends string, Include extends string> = [Column] extends [never]
  ? M['record']
  : string extends Column
    ? M['record']
    : Pick<M['record'], Extract<'id' | Column | RelationOf<Include>, keyof M['record']>>

type RelationOf<Include extends string> = Include extends `${infer Relation}__${string}` ? Relation : never

/** What can be said of any call. */
export interface CallOptions {
  /** Ends the call, which throws what the signal was aborted with. */
  readonly signal?: AbortSignal | undefined
}

/** What of each record is wanted. */
export interface Projection<Column extends string, Include extends string> {
  readonly fields?: readonly Column[] | undefined
  /** `<relation>__<field>` */
  readonly include?: readonly Include[] | undefined
}

export interface Selection<M extends ModelTypes, Column extends string, Include extends string>
  extends Projection<Column, Include> {
  readonly filters?: Filters<M> | undefined
}

/** `title` for ascending, `-title` for descending. */
export type Sort<M extends ModelTypes> = readonly (M['sortKey'] | `-${M['sortKey']}`)[]

/** Which page, from 1, of how many records, 1 to 100. */
export interface PageQuery {
  readonly page?: number | undefined
  readonly page_size?: number | undefined
}

export interface ListQuery<M extends ModelTypes, Column extends string, Include extends string>
  extends Selection<M, Column, Include>,
    PageQuery {
  readonly sort?: Sort<M> | undefined
}

export interface SearchQuery<M extends ModelTypes> extends PageQuery {
  /** The fields to look into; all that are searched unless said. */
  readonly fields?: readonly M['searched'][] | undefined
  /** Also finds what is nearly the same. */
  readonly fuzzy?: boolean | undefined
  readonly filters?: Filters<M> | undefined
}

export interface ExportQuery<M extends ModelTypes> {
  readonly format?: FileFormat | undefined
  /** Begins CSV with a byte order mark, for spreadsheets. */
  readonly bom?: boolean | undefined
  readonly filters?: Filters<M> | undefined
  readonly fields?: readonly M['column'][] | undefined
  readonly sort?: Sort<M> | undefined
}

export type FileFormat = 'csv' | 'json' | 'ndjson'

export interface ImportOptions<M extends ModelTypes> extends CallOptions {
  readonly format: FileFormat
  /** Says what would come of it, and changes nothing. */
  readonly dry_run?: boolean | undefined
  /** A unique field: records that have the same in it are updated. */
  readonly upsert_by?: M['column'] | undefined
  readonly form_id?: FormName<M> | undefined
}

/** What came of an import. */
export interface Imported {
  readonly message: string
  readonly dry_run: boolean
  readonly created: number
  readonly updated: number
  readonly total: number
  /** Columns that are the server's to set. */
  readonly ignored: readonly string[]
}

export type FormName<M extends ModelTypes> = keyof M['forms'] & string

/** What a form takes, or the model itself without one. */
export type Input<M extends ModelTypes, Form extends FormName<M> | undefined, Action extends 'create' | 'update'> =
  Form extends FormName<M>
    ? M['forms'][Form] extends Readonly<Record<Action, infer Taken extends object>>
      ? Taken
      : never
    : M[Action]

/** The form that is filled in. */
export interface UnderForm<Form extends string | undefined> {
  readonly form_id?: Form
}

/** Guards a change against those of others. */
export interface Guard extends CallOptions {
  /** The `etag` that the record had when it was read; another version is refused (412, `precondition`). */
  readonly if_match?: string | undefined
}

/** A page of a list and where it stands among all. */
export interface Page<RecordType> {
  readonly data: RecordType[]
  /** How many there are in all. */
  readonly total: number
  readonly page: number
  readonly page_size: number
  readonly total_pages: number
  readonly has_next: boolean
  readonly has_prev: boolean
}

/** A page of what was found, by relevance. */
export interface SearchPage<RecordType> extends Page<RecordType> {
  /** Of each record, where the words are: by field, `[start, length]` in UTF-16 code units. */
  readonly hits: readonly {
    readonly id: number
    readonly score: number
    readonly matches: Readonly<Record<string, readonly (readonly [number, number])[]>>
  }[]
  /** What was not looked for. */
  readonly notices?: readonly string[]
}

/** A record, and the version that it was read in. */
export interface Versioned<RecordType> {
  readonly data: RecordType
  readonly etag: string
}

/** What a bulk operation did, in the order that it was asked to. */
export interface Bulk<RecordType> {
  readonly data: RecordType[]
  readonly total: number
}
