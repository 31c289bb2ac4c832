import { FieldUploads, withIds } from './field-uploads.ts'
import {
  aggregateEntries,
  bulkBody,
  exportEntries,
  historyEntries,
  listEntries,
  projectionEntries,
  searchEntries,
} from './model-queries.ts'
import { filterTexts, type QueryEntries, queryText } from './query.ts'
import type { ApiRequest } from './transport.ts'
import type {
  Acted,
  ActionArguments,
  ActionName,
  Aggregate,
  AggregateQuery,
  Bulk,
  BulkRemoved,
  BulkSelection,
  BulkUpdated,
  CallOptions,
  DryRun,
  EditablePage,
  ExportQuery,
  FileFormat,
  FormName,
  Guard,
  Imported,
  ImportOptions,
  ImportPreview,
  Input,
  ListQuery,
  ModelTypes,
  Page,
  Part,
  Projection,
  Removed,
  Restored,
  SearchPage,
  SearchQuery,
  Selection,
  Stored,
  UnderForm,
  Versioned,
} from './types-calls.ts'
import type { UploadedFile, UploadOptions, WithBytes } from './types-files.ts'
import type { HistoryEntry, HistoryQuery } from './types-site.ts'

/** Sends a request with the credentials of the session. @throws {AdminError} for an error response */
export type Send = (request: ApiRequest) => Promise<Response>

const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}

/** Maximum number of records per page. */
export const MAX_PAGE_SIZE = 100

/** Maximum number of items of a bulk operation. */
export const MAX_BULK_ITEMS = 1000

/** The id of a record: a number, or its text as in a URL. */
export type Id = number | string

/** The records of one model. Every method throws an `AdminError` when the server rejects the request or cannot be reached. */
export class ModelClient<M extends ModelTypes> {
  readonly #root: string
  readonly #send: Send
  readonly #read: (response: Response, signal?: AbortSignal) => Promise<unknown>
  readonly #uploads: FieldUploads

  /** @param api path of the API, without a slash at the end */
  constructor(api: string, key: string, send: Send, read: (response: Response, signal?: AbortSignal) => Promise<unknown>) {
    this.#root = `${api}/models/${encodeURIComponent(key)}`
    this.#send = send
    this.#read = read
    this.#uploads = new FieldUploads(`${api}/files/${encodeURIComponent(key)}`, (request) => this.#json(request))
  }

  /** Returns a page of the records that match all filters, ordered by id or by `sort`. */
  async list<const Column extends M['column'] = never, const Include extends M['include'] = never>(
    query: ListQuery<M, Column, Include> = {},
    { signal }: CallOptions = {},
  ): Promise<EditablePage<Part<M, Column, Include>>> {
    return (await this.#get('', listEntries(query), signal)) as EditablePage<Part<M, Column, Include>>
  }

  /**
   * Iterates over all records that match all filters, ordered by id; fetches 100 records per request.
   *
   * Returns each record once, even if records are created or deleted meanwhile. For a consistent state of one moment use `export`.
   */
  async *all<const Column extends M['column'] = never, const Include extends M['include'] = never>(
    selection: Selection<M, Column, Include> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Part<M, Column, Include>> {
    let last = 0
    for (;;) {
      const filters = [...filterTexts(selection.filters), `id__gt=${last}`]
      const query = { ...selection, filters, page_size: MAX_PAGE_SIZE } as ListQuery<M, Column, Include>
      const page = await this.list(query, options)
      yield* page.data
      const end = page.data.at(-1) as M['record'] | undefined
      if (!page.has_next || end === undefined) return
      last = end.id
    }
  }

  /** Returns one record, with the `etag` that `update` and `delete` accept as `if_match`. */
  async read<const Column extends M['column'] = never, const Include extends M['include'] = never>(
    id: Id,
    { signal, ...projection }: Projection<Column, Include> & CallOptions = {},
  ): Promise<Versioned<Part<M, Column, Include>>> {
    return this.#versioned({ method: 'GET', path: this.#record(id) + queryText(projectionEntries(projection)), signal })
  }

  /**
   * Uploads files for a field of a record that is written later: `create({ cover: uploaded[0].id })`.
   *
   * @returns the uploads in order; of each 20 files all or none are kept
   * @throws {AdminError} with the messages of the field in `fieldErrors`
   */
  upload(field: string, files: Blob | readonly Blob[], options: UploadOptions = {}): Promise<readonly UploadedFile[]> {
    return this.#uploads.upload(field, [files].flat(), options)
  }

  /**
   * Creates a record. A `Blob` or `File` in the place of a file is uploaded first.
   *
   * @param options.form_id the form that validates the record; without it, the model does
   */
  async create<const F extends FormName<M> | undefined = undefined, const Dry extends boolean = false>(
    data: WithBytes<Input<M, F, 'create'>>,
    { form_id, dryRun, signal }: CallOptions & UnderForm<F> & DryRun<Dry> = {},
  ): Promise<Stored<M['record'], Dry>> {
    const path = this.#root + dryRunText(dryRun)
    const body = { data: await this.#named(data, signal), form_id }
    return this.#stored({ method: 'POST', path, body, signal }, dryRun)
  }

  /** Updates the fields in `data`; other fields stay as they are. A `Blob` or `File` in the place of a file is uploaded first. */
  async update<const F extends FormName<M> | undefined = undefined, const Dry extends boolean = false>(
    id: Id,
    data: WithBytes<Input<M, F, 'update'>>,
    { form_id, if_match, dryRun, signal }: Guard & UnderForm<F> & DryRun<Dry> = {},
  ): Promise<Stored<M['record'], Dry>> {
    const path = this.#record(id) + dryRunText(dryRun)
    const body = { data: await this.#named(data, signal), form_id }
    return this.#stored({ method: 'PUT', path, headers: guarded(if_match), body, signal }, dryRun)
  }

  /** Deletes a record and returns it as it was. With `dryRun`, also returns what goes with it and what prevents it. */
  async delete<const Dry extends boolean = false>(
    id: Id,
    { if_match, dryRun, signal }: Guard & DryRun<Dry> = {},
  ): Promise<Removed<M['record'], Dry>> {
    const path = this.#record(id) + dryRunText(dryRun)
    return (await this.#json({ method: 'DELETE', path, headers: guarded(if_match), signal })) as Removed<M['record'], Dry>
  }

  /** Creates up to 1,000 records, all or none. */
  async bulkCreate<const F extends FormName<M> | undefined = undefined>(
    records: readonly Input<M, F, 'create'>[],
    { form_id, dryRun, signal }: CallOptions & UnderForm<F> & DryRun<boolean> = {},
  ): Promise<Bulk<M['record']>> {
    return (await this.#bulk('POST', { records, form_id }, dryRun, signal)) as Bulk<M['record']>
  }

  /**
   * Updates records, all or none.
   *
   * @param updates up to 1,000 records by id, with the `etag` of each as `if_match` if only this version may be changed; or `data` for all
   *   records that match filters, up to 100,000
   * @param options.etags also returns the versions of the records that match filters
   * @throws {AdminError} of type `conflict` if another number of records than `expectedTotal` matches; with the message of a record that has
   *   another version under `<index>.if_match`
   */
  async bulkUpdate<const F extends FormName<M> | undefined = undefined>(
    updates:
      | readonly { readonly id: number; readonly data: Input<M, F, 'update'>; readonly if_match?: string | undefined }[]
      | (BulkSelection<M> & { readonly data: Input<M, F, 'update'> }),
    { form_id, dryRun, etags, signal }: CallOptions & UnderForm<F> & DryRun<boolean> & { readonly etags?: boolean } = {},
  ): Promise<BulkUpdated<M['record']>> {
    const body = 'expectedTotal' in updates ? { ...bulkBody(updates), data: updates.data, etags } : { updates }
    return (await this.#bulk('PUT', { ...body, form_id }, dryRun, signal)) as BulkUpdated<M['record']>
  }

  /**
   * Deletes records, all or none.
   *
   * @param records up to 1,000 ids; or filters, for all records that match, up to 100,000
   * @throws {AdminError} of type `conflict` if another number of records than `expectedTotal` matches
   */
  async bulkDelete<const Dry extends boolean = false>(
    records: readonly number[] | BulkSelection<M>,
    { dryRun, signal }: CallOptions & DryRun<Dry> = {},
  ): Promise<BulkRemoved<M['record'], Dry>> {
    const body = 'expectedTotal' in records ? bulkBody(records) : { ids: records }
    return (await this.#bulk('DELETE', body, dryRun, signal)) as BulkRemoved<M['record'], Dry>
  }

  /**
   * Performs an action of the project on records, all or none.
   *
   * @param records an id; up to 1,000 ids; filters, for all records that match, up to 100,000; null for an action without records
   * @throws {AdminError} of type `conflict` for a record for which the condition of the action is false; with the messages of a faulty
   *   input under `input.<field>`
   */
  async action<const Name extends ActionName<M>>(
    name: Name,
    records: Id | readonly number[] | BulkSelection<M> | null,
    ...given: ActionArguments<M, Name>
  ): Promise<Acted<M['record']>> {
    const [input, { if_match, dryRun, signal } = {}] = given
    const isOne = typeof records === 'number' || typeof records === 'string'
    const path = `${isOne ? this.#record(records) : this.#root}/actions/${encodeURIComponent(name)}${dryRunText(dryRun)}`
    const named = isOne || records === null ? {} : 'expectedTotal' in records ? bulkBody(records) : { ids: records }
    const body = { ...named, input }
    return (await this.#json({ method: 'POST', path, headers: guarded(if_match), body, signal })) as Acted<M['record']>
  }

  /**
   * Returns a page of the changes of a record, the latest first. The history of a deleted record is for superusers.
   *
   * @throws {AdminError} of type `not_found` if the record does not exist, or the model's history is not recorded
   */
  async history(id: Id, query: HistoryQuery = {}, { signal }: CallOptions = {}): Promise<Page<HistoryEntry>> {
    const path = `${this.#record(id)}/history${queryText(historyEntries(query))}`
    return (await this.#json({ method: 'GET', path, signal })) as Page<HistoryEntry>
  }

  /**
   * Restores a deleted record from the history, with its id and what its deletion took with it.
   *
   * @throws {AdminError} of type `conflict` if the record exists, or a unique value or a reference is in the way
   */
  async restore(id: Id, { dryRun, signal }: CallOptions & DryRun<boolean> = {}): Promise<Restored<M['record']>> {
    const path = `${this.#record(id)}/restore${dryRunText(dryRun)}`
    return (await this.#json({ method: 'POST', path, signal })) as Restored<M['record']>
  }

  /** Searches the text of records; returns a page ordered by relevance or by `sort`. @param q the words to search for */
  async search(q: string, query: SearchQuery<M> = {}, { signal }: CallOptions = {}): Promise<SearchPage<M['record']>> {
    return (await this.#get('/search', searchEntries(q, query), signal)) as SearchPage<M['record']>
  }

  /** Computes totals of groups of records, in the order of the groups' values; at most 1,000 groups. */
  async aggregate(query: AggregateQuery<M> = {}, { signal }: CallOptions = {}): Promise<{ data: Aggregate[]; total: number }> {
    return (await this.#get('/aggregate', aggregateEntries(query), signal)) as { data: Aggregate[]; total: number }
  }

  /**
   * Exports the records that match all filters as a file with the state of one moment.
   *
   * Read the response as a stream (`body`) or whole (`text()`; `blob()` for XLSX). Reading fails if the file is truncated.
   */
  export(query: ExportQuery<M> = {}, { signal }: CallOptions = {}): Promise<Response> {
    return this.#send({ method: 'GET', path: `${this.#root}/export${queryText(exportEntries(query))}`, signal })
  }

  /**
   * Creates or updates the records of a file, all or none.
   *
   * @throws {AdminError} with the messages of invalid records in `fieldErrors`, under `<row>.<field>`
   */
  async import(file: string | Blob | Uint8Array<ArrayBuffer>, options: ImportOptions<M>): Promise<Imported> {
    return (await this.#sendFile('/import', file, [['dry_run', options.dry_run], ...importEntries(options)], options)) as Imported
  }

  /** Shows how a file would be imported: the map, guessed where it is not given, and its first rows with their faults. Stores nothing. */
  async previewImport(
    file: string | Blob | Uint8Array<ArrayBuffer>,
    options: Omit<ImportOptions<M>, 'dry_run'>,
  ): Promise<{ readonly data: ImportPreview }> {
    return (await this.#sendFile('/import/preview', file, importEntries(options), options)) as { data: ImportPreview }
  }

  #sendFile(
    path: string,
    file: string | Blob | Uint8Array<ArrayBuffer>,
    entries: QueryEntries,
    { format, signal }: Pick<ImportOptions<M>, 'format' | 'signal'>,
  ): Promise<unknown> {
    const headers = { 'Content-Type': MEDIA_TYPES[format] }
    return this.#json({ method: 'POST', path: this.#root + path + queryText(entries), headers, file, signal })
  }

  /** Returns mock records, which are not stored. The same seed gives the same records. */
  async mock(
    { count, seed }: { readonly count?: number; readonly seed?: number } = {},
    { signal }: CallOptions = {},
  ): Promise<{ readonly data: M['record'][]; readonly count: number; readonly seed: number }> {
    const entries: QueryEntries = [
      ['count', count],
      ['seed', seed],
    ]
    return (await this.#get('/mock', entries, signal)) as { data: M['record'][]; count: number; seed: number }
  }

  /** Values with the ids of uploads in the place of bytes. */
  #named(data: object, signal: AbortSignal | undefined): Promise<object> {
    return withIds(data, (field, files) => this.#uploads.upload(field, files, { signal }))
  }

  #record(id: Id): string {
    return `${this.#root}/${encodeURIComponent(id)}`
  }

  #get(path: string, entries: QueryEntries, signal?: AbortSignal): Promise<unknown> {
    return this.#json({ method: 'GET', path: this.#root + path + queryText(entries), signal })
  }

  async #json(request: ApiRequest): Promise<unknown> {
    return this.#read(await this.#send(request), request.signal)
  }

  async #versioned<T>(request: ApiRequest): Promise<Versioned<T>> {
    const response = await this.#send(request)
    const { data } = (await this.#read(response, request.signal)) as { data: T }
    // A proxy weakens the tag of an answer that it compresses, and not that of another answer with the same version.
    return { data, etag: (response.headers.get('etag') ?? '').replace(/^W\//, '') }
  }

  /** Sends a write; the response of a dry run has no version. */
  async #stored<Dry extends boolean>(request: ApiRequest, dryRun: Dry | undefined): Promise<Stored<M['record'], Dry>> {
    const { data, etag } = await this.#versioned<M['record']>(request)
    return (dryRun === true ? { data } : { data, etag }) as Stored<M['record'], Dry>
  }

  #bulk(method: 'POST' | 'PUT' | 'DELETE', body: object, dryRun?: boolean, signal?: AbortSignal): Promise<unknown> {
    return this.#json({ method, path: `${this.#root}/bulk${dryRunText(dryRun)}`, body, signal })
  }
}

/** The query parameters of an import, but `dry_run`. */
const importEntries = <M extends ModelTypes>({ delimiter, upsert_by, form_id, map, locale }: ImportOptions<M>): QueryEntries => [
  ['delimiter', delimiter],
  ['upsert_by', upsert_by],
  ['form_id', form_id],
  ['map', map === undefined ? undefined : JSON.stringify(map)],
  ['locale', locale],
]

/** The query of a dry run. A write without one has no query. */
export const dryRunText = (dryRun: boolean | undefined): string => (dryRun === true ? '?dry_run=true' : '')

const guarded = (etag: string | undefined): Readonly<Record<string, string>> | undefined =>
  etag === undefined ? undefined : { 'If-Match': etag }
