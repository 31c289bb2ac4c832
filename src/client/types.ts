import type { Filters } from './filter-types.ts'
import type { FormName, ModelTypes } from './model-types.ts'

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
