/** A record with only the selected members. */
export type Part<M extends ModelTypes, Column extends string, Include extends string> = [Column] extends [never]
  ? M['record']
  : string extends Column
    ? M['record']
    : Pick<M['record'], Extract<'id' | Column | RelationOf<Include>, keyof M['record']>>

type RelationOf<Include extends string> = Include extends `${infer Relation}__${string}` ? Relation : never

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Selects the members of each record. */
export interface Projection<Column extends string, Include extends string> {
  /** Fields to return; all by default. The id is always returned. */
  readonly fields?: readonly Column[] | undefined
  /** Fields of related records to return: `<relation>__<field>`. */
  readonly include?: readonly Include[] | undefined
}

/** Selects records and their members. */
export interface Selection<M extends ModelTypes, Column extends string, Include extends string>
  extends Projection<Column, Include>,
    Filtering<M> {}

/** Filters and groups of filters; a record must match all filters and one filter of each group. */
export interface Filtering<M extends ModelTypes> {
  readonly filters?: Filters<M> | undefined
  readonly any?: readonly Filters<M>[] | undefined
}

/** Sort keys, most significant first: `title` for ascending, `-title` for descending. */
export type Sort<M extends ModelTypes> = readonly (M['sortKey'] | `-${M['sortKey']}`)[]

/** Selects a page. */
export interface PageQuery {
  /** Page number, from 1. */
  readonly page?: number | undefined
  /** Records per page, 1 to 100. */
  readonly page_size?: number | undefined
}

/** The query of a list. */
export interface ListQuery<M extends ModelTypes, Column extends string, Include extends string>
  extends Selection<M, Column, Include>,
    PageQuery {
  readonly sort?: Sort<M> | undefined
  /** Also returns `etags` and `can`, which changing the records needs. */
  readonly editing?: boolean | undefined
}

/** The query of a full-text search. */
export interface SearchQuery<M extends ModelTypes> extends PageQuery, Filtering<M> {
  /** Fields to search; all searchable fields by default. */
  readonly fields?: readonly M['searched'][] | undefined
  /** Also finds similar words, such as misspelt ones. */
  readonly fuzzy?: boolean | undefined
  /** Fails with 503 where records would be missing, in place of answering with `missing`. */
  readonly complete?: boolean | undefined
  /** Default: by relevance. */
  readonly sort?: Sort<M> | undefined
  /** Fields of related records to return: `<relation>__<field>`. */
  readonly include?: readonly M['include'][] | undefined
}

/** The query of an export. */
export interface ExportQuery<M extends ModelTypes> extends Filtering<M> {
  /** File format of the export. */
  readonly format?: ExportFileFormat | undefined
  /** Starts CSV with a byte order mark, for spreadsheets. */
  readonly bom?: boolean | undefined
  /** Writes titles, labels of choices and names of related records into CSV and XLSX, in the order of `fields`. */
  readonly labels?: boolean | undefined
  /** The list view whose titles and labels are used. */
  readonly list_id?: string | undefined
  /** The time zone of dates with a time under `labels`: `Europe/Berlin`. Default: `UTC`. */
  readonly time_zone?: string | undefined
  readonly fields?: readonly M['column'][] | undefined
  readonly sort?: Sort<M> | undefined
}

/** A period of dates that records can be grouped by. */
export type GroupPeriod = 'day' | 'week' | 'month' | 'year'

/** The query of an aggregate. */
export interface AggregateQuery<M extends ModelTypes> extends Filtering<M> {
  /** Fields whose values make a group, and periods of dates in UTC: `created_at:week`. */
  readonly group_by?: readonly (M['column'] | `${M['column']}:${GroupPeriod}`)[] | undefined
  /** Counts the records; done by default if nothing else is computed. */
  readonly count?: boolean | undefined
  /** Fields to add up. */
  readonly sum?: readonly M['column'][] | undefined
  readonly avg?: readonly M['column'][] | undefined
  readonly min?: readonly M['column'][] | undefined
  readonly max?: readonly M['column'][] | undefined
}

type ByField<Value> = Readonly<Record<string, Value>>

/** The totals of a group of records. */
export interface Aggregate {
  /** The values of what `group_by` names: `{ status: 'open', 'created_at:week': '2026-W48' }`. */
  readonly group: ByField<string | number | boolean | null>
  readonly count?: number
  /** Sums and averages of decimals are text. */
  readonly sum?: ByField<number | string>
  readonly avg?: ByField<number | string | null>
  readonly min?: ByField<string | number | boolean | null>
  readonly max?: ByField<string | number | boolean | null>
}

/** File formats of exports and imports; NDJSON has one JSON object per line. */
export type FileFormat = 'csv' | 'json' | 'ndjson'

/** File formats of exports; XLSX is a workbook of spreadsheets. */
export type ExportFileFormat = FileFormat | 'xlsx'

/** Options of an import. */
export interface ImportOptions<M extends ModelTypes> extends CallOptions {
  /** Format of the file. */
  readonly format: FileFormat
  /** Validates the file and returns the result without changing anything. */
  readonly dry_run?: boolean | undefined
  /** Delimiter of a CSV file; found in its header when absent. */
  readonly delimiter?: 'comma' | 'semicolon' | 'tab' | undefined
  /** A unique field: existing records with the same value in it are updated. */
  readonly upsert_by?: M['column'] | undefined
  /** The form that validates the records. */
  readonly form_id?: FormName<M> | undefined
  /** Which fields the columns are, and how the file writes days and numbers. */
  readonly map?: ImportMap | undefined
  /** The language of days and numbers in the file, such as `de`. */
  readonly locale?: string | undefined
}

/** Which fields the columns of a file are, and how it writes days and numbers. Cells may have labels of choices and names of related records. */
export interface ImportMap {
  /** By the header of a column: a field; a relation and the field that names its records, `patient_id.number`; null to leave the column out. */
  readonly columns?: Readonly<Record<string, string | null>> | undefined
  /** Such as `dd.mm.yyyy`. */
  readonly dates?: string | undefined
  /** By an example, such as `1.234,56`. */
  readonly numbers?: string | undefined
  /** Names the formats that are not named themselves. */
  readonly locale?: string | undefined
  /** Time zone of dates with a time and without an offset; UTC when absent. */
  readonly time_zone?: string | undefined
  /** Values that every row has, by field. */
  readonly constants?: Readonly<Record<string, unknown>> | undefined
}

/** The result of an import. */
export interface Imported {
  readonly message: string
  readonly dry_run: boolean
  /** Number of new records. */
  readonly created: number
  /** Number of updated records. */
  readonly updated: number
  /** Number of records in the file. */
  readonly total: number
  /** Columns that were ignored since the server sets them. */
  readonly ignored: readonly string[]
}

/** How a file would be imported. */
export interface ImportPreview {
  /** The map, guessed where it is not given. */
  readonly map: ImportMap
  /** Formats that must be named, since the values can be read in several ways. */
  readonly ambiguous: readonly ('dates' | 'numbers')[]
  readonly columns: readonly {
    readonly header: string
    /** The field as in `map.columns`; null for a column that is left out. */
    readonly field: string | null
    readonly samples: readonly string[]
  }[]
  /** The first rows. */
  readonly rows: readonly {
    /** From 1. */
    readonly row: number
    readonly line: number | null
    /** The cells of the file, by field. */
    readonly texts: Readonly<Record<string, string>>
    /** The values as they would be stored, by field. */
    readonly values: Readonly<Record<string, unknown>>
    /** Messages by field. */
    readonly errors: Readonly<Record<string, readonly string[]>>
  }[]
}

/** Names the form that validates the data. */
export interface UnderForm<Form extends string | undefined> {
  /** Name of the form; without it, the model validates the data. */
  readonly form_id?: Form
}

/** Options of a change with optimistic locking. */
export interface Guard extends CallOptions {
  /** The `etag` of the record when it was read. If the record has changed since, the server responds with 412 (`precondition`). */
  readonly if_match?: string | undefined
}

/** A page of a list. */
export interface Page<RecordType> {
  readonly data: RecordType[]
  /** Number of records on all pages. */
  readonly total: number
  readonly page: number
  readonly page_size: number
  readonly total_pages: number
  readonly has_next: boolean
  readonly has_prev: boolean
}

/** A page of a list; with `editing` it has what changing the records needs, in their order. */
export interface EditablePage<RecordType> extends Page<RecordType> {
  /** The versions of the records, for `if_match`. */
  readonly etags?: readonly string[]
  /** What the user may do with each record. */
  readonly can?: readonly (readonly ('change' | 'delete')[])[]
}

/** A page of search results, ordered by relevance. */
export interface SearchPage<RecordType> extends Page<RecordType> {
  /** For each record its score, and the positions of the matches by field: `[start, length]` in UTF-16 code units. */
  readonly hits: readonly {
    readonly id: number
    readonly score: number
    readonly matches: Readonly<Record<string, readonly (readonly [number, number])[]>>
  }[]
  /** Number of records that are not searched yet, or as they were before a change of many; absent if the result is complete. */
  readonly missing?: number
  /** Messages about parts of the query that were not searched for. */
  readonly notices?: readonly string[]
}

/** A record and its version. */
export interface Versioned<RecordType> {
  readonly data: RecordType
  /** The version of the record, for `if_match`. */
  readonly etag: string
}

/** The result of a bulk operation. */
export interface Bulk<RecordType> {
  /** The records, in the order of the request. */
  readonly data: RecordType[]
  /** Number of records. */
  readonly total: number
}

/** The result of a bulk update. */
export interface BulkUpdated<RecordType> extends Bulk<RecordType> {
  /** With the option `etags`: the versions of the records, in their order, for `if_match`. */
  readonly etags?: readonly string[]
}

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

/** Rehearses a change. */
export interface DryRun<Dry extends boolean> {
  /** Does everything but the commit: returns what would be stored, or throws the same error. Nothing changes. */
  readonly dryRun?: Dry | undefined
}

/** Selects the records of a bulk operation by filters, up to 100,000. */
export interface BulkSelection<M extends ModelTypes> extends Filtering<M> {
  /** An empty object or list selects every record. */
  readonly filters: Filters<M>
  /** The words to search for, as in `search`. */
  readonly search?: string | undefined
  /** Number of records that must match; if another number matches, nothing changes and the server responds with 409 (`conflict`). */
  readonly expectedTotal: number
}

/** The result of a create or an update; without an `etag` after a dry run. */
export type Stored<RecordType, Dry extends boolean> = Dry extends true ? { readonly data: RecordType } : Versioned<RecordType>

/** The result of a deletion: the record as it was, or what the deletion would do. */
export type Removed<RecordType, Dry extends boolean> = Dry extends true
  ? { readonly data: RecordType } & RemovalForecast
  : { readonly data: RecordType }

/** The result of a bulk deletion: the records as they were, or what the deletion would do. */
export type BulkRemoved<RecordType, Dry extends boolean> = Dry extends true
  ? Bulk<RecordType> & RemovalForecast
  : Bulk<RecordType>

/** Consequences of a deletion for other records. */
export interface RemovalForecast {
  /** The other records that it would delete (`cascade`) or whose references it would remove (`set_null`), by model. */
  readonly consequences: readonly {
    readonly model: string
    readonly action: 'cascade' | 'set_null'
    readonly count: number
  }[]
  /** The references that prevent it; empty if it is possible. `model` and `field` are null for models that the user may not view. */
  readonly blocked_by: readonly { readonly model: string | null; readonly field: string | null; readonly count: number }[]
}

/** A record that was restored, or would be. */
export interface Restored<RecordType> {
  readonly data: RecordType
  /** The other records that are restored with it (`cascade`) or refer to it again (`set_null`), by model. */
  readonly consequences: RemovalForecast['consequences']
  /** What the history does not have, such as passwords. */
  readonly notices: readonly string[]
}

/** The types of one model: a member of `All_Models`, which `admin types` generates. */
export interface ModelTypes {
  /** A record as the API returns it. */
  readonly record: { readonly id: number }
  /** The data to create a record without a form. */
  readonly create: object
  /** The data to update a record without a form. */
  readonly update: object
  /** The data to create and update a record, by form. */
  readonly forms: object
  /** Filters: `title__icontains=${string}`. */
  readonly filter: string
  /** Fields that `fields` may name. */
  readonly column: string
  /** Fields of related records that `include` may name: `author__name`. */
  readonly include: string
  /** Fields to sort by. */
  readonly sortKey: string
  /** Searchable fields. */
  readonly searched: string
  /** The input of each action of the project, by name. */
  readonly actions?: object
}

type Values = Readonly<Record<string, unknown>>

/** The types of a model without generated types. */
export interface AnyModel extends ModelTypes {
  readonly record: { readonly id: number; readonly [field: string]: unknown }
  readonly create: Values
  readonly update: Values
  readonly forms: Readonly<Record<string, { readonly create: Values; readonly update: Values }>>
}

/** The types of a project without generated types. */
export type AnyModels = Readonly<Record<string, AnyModel>>

/** The names of a model's actions. */
export type ActionName<M extends ModelTypes> = M extends { readonly actions: infer Inputs extends object }
  ? keyof Inputs & string
  : string

/** The input of an action. */
export type ActionInput<M extends ModelTypes, Name extends string> = M extends { readonly actions: infer Inputs extends object }
  ? Name extends keyof Inputs
    ? Inputs[Name]
    : Values
  : Values

/** The input of an action and options; without an input where none is mandatory. */
export type ActionArguments<M extends ModelTypes, Name extends string> =
  Readonly<Record<string, never>> extends ActionInput<M, Name>
    ? [input?: ActionInput<M, Name>, options?: Guard & DryRun<boolean>]
    : [input: ActionInput<M, Name>, options?: Guard & DryRun<boolean>]

/** The result of an action: the records as they are, or in a dry run would be. */
export interface Acted<RecordType> extends Bulk<RecordType> {
  /** A sentence for the user. */
  readonly message: string
}

/** The names of a model's forms. */
export type FormName<M extends ModelTypes> = keyof M['forms'] & string

/** The data that a form accepts, or the model without a form. */
export type Input<M extends ModelTypes, Form extends FormName<M> | undefined, Action extends 'create' | 'update'> =
  Form extends FormName<M>
    ? M['forms'][Form] extends Readonly<Record<Action, infer Taken extends object>>
      ? Taken
      : never
    : M[Action]
