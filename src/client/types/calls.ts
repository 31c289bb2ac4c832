import type { Filters } from './filters.ts'
import type { FormName, ModelTypes } from './models.ts'

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
}

/** The query of a full-text search. */
export interface SearchQuery<M extends ModelTypes> extends PageQuery, Filtering<M> {
  /** Fields to search; all searchable fields by default. */
  readonly fields?: readonly M['searched'][] | undefined
  /** Also finds similar words, such as misspelt ones. */
  readonly fuzzy?: boolean | undefined
  /** Default: by relevance. */
  readonly sort?: Sort<M> | undefined
  /** Fields of related records to return: `<relation>__<field>`. */
  readonly include?: readonly M['include'][] | undefined
}

/** The query of an export. */
export interface ExportQuery<M extends ModelTypes> extends Filtering<M> {
  /** File format of the export. */
  readonly format?: FileFormat | undefined
  /** Starts CSV with a byte order mark, for spreadsheets. */
  readonly bom?: boolean | undefined
  readonly fields?: readonly M['column'][] | undefined
  readonly sort?: Sort<M> | undefined
}

/** The query of an aggregate. */
export interface AggregateQuery<M extends ModelTypes> extends Filtering<M> {
  /** Fields whose values make a group. */
  readonly group_by?: readonly M['column'][] | undefined
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
  /** The values of the fields in `group_by`. */
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

/** A page of search results, ordered by relevance. */
export interface SearchPage<RecordType> extends Page<RecordType> {
  /** For each record its score, and the positions of the matches by field: `[start, length]` in UTF-16 code units. */
  readonly hits: readonly {
    readonly id: number
    readonly score: number
    readonly matches: Readonly<Record<string, readonly (readonly [number, number])[]>>
  }[]
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
