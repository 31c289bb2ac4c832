import { exportEntries, listEntries, projectionEntries, searchEntries } from './model-queries.ts'
import type { FormName, Input, ModelTypes } from './model-types.ts'
import { filterTexts, type QueryEntries, queryText } from './query.ts'
import type { ApiRequest } from './transport.ts'
import type {
  Bulk,
  CallOptions,
  ExportQuery,
  FileFormat,
  Guard,
  Imported,
  ImportOptions,
  ListQuery,
  Page,
  Part,
  Projection,
  SearchPage,
  SearchQuery,
  Selection,
  UnderForm,
  Versioned,
} from './types.ts'

/** Sends a request to the API on behalf of whoever is logged in. @throws {AdminError} for what is not answered well */
export type Send = (request: ApiRequest) => Promise<Response>

const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}

/** Most records of a page. */
export const MAX_PAGE_SIZE = 100

/** Most items of a bulk operation. */
export const MAX_BULK_ITEMS = 1000

/** An id as the server gave it, or as it stands in an address. */
export type Id = number | string

/** The records of one model. Every method throws an `AdminError` for what the server refuses. */
export class ModelClient<M extends ModelTypes> {
  readonly #root: string
  readonly #send: Send
  readonly #read: (response: Response, signal?: AbortSignal) => Promise<unknown>

  /** @param root the model's path, without a slash at the end */
  constructor(root: string, send: Send, read: (response: Response, signal?: AbortSignal) => Promise<unknown>) {
    this.#root = root
    this.#send = send
    this.#read = read
  }

  /** A page of the records that all filters hold for, by id unless `sort` says otherwise. */
  async list<const Column extends M['column'] = never, const Include extends M['include'] = never>(
    query: ListQuery<M, Column, Include> = {},
    { signal }: CallOptions = {},
  ): Promise<Page<Part<M, Column, Include>>> {
    return (await this.#get('', listEntries(query), signal)) as Page<Part<M, Column, Include>>
  }

  /**
   * All records that all filters hold for, in the order of their ids, a page at a time: each of them once, however many are made
   * and deleted meanwhile. What is to be of one moment is an `export`.
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

  /** One record, with the `etag` that `update` and `remove` take as `if_match`. */
  async read<const Column extends M['column'] = never, const Include extends M['include'] = never>(
    id: Id,
    { signal, ...projection }: Projection<Column, Include> & CallOptions = {},
  ): Promise<Versioned<Part<M, Column, Include>>> {
    return this.#versioned({ method: 'GET', path: this.#record(id) + queryText(projectionEntries(projection)), signal })
  }

  /** @param options.form_id the form that is filled in; without one the model itself says what is right */
  async create<const F extends FormName<M> | undefined = undefined>(
    data: Input<M, F, 'create'>,
    { form_id, signal }: CallOptions & UnderForm<F> = {},
  ): Promise<Versioned<M['record']>> {
    return this.#versioned({ method: 'POST', path: this.#root, body: { data, form_id }, signal })
  }

  /** Changes what `data` names, and nothing else. */
  async update<const F extends FormName<M> | undefined = undefined>(
    id: Id,
    data: Input<M, F, 'update'>,
    { form_id, if_match, signal }: Guard & UnderForm<F> = {},
  ): Promise<Versioned<M['record']>> {
    return this.#versioned({ method: 'PUT', path: this.#record(id), headers: guarded(if_match), body: { data, form_id }, signal })
  }

  /** Deletes a record, and answers with it as it was. */
  async remove(id: Id, { if_match, signal }: Guard = {}): Promise<{ readonly data: M['record'] }> {
    const request: ApiRequest = { method: 'DELETE', path: this.#record(id), headers: guarded(if_match), signal }
    return (await this.#json(request)) as { data: M['record'] }
  }

  /** Creates up to 1,000 records, all or none. */
  async bulkCreate<const F extends FormName<M> | undefined = undefined>(
    records: readonly Input<M, F, 'create'>[],
    { form_id, signal }: CallOptions & UnderForm<F> = {},
  ): Promise<Bulk<M['record']>> {
    return this.#bulk('POST', { records, form_id }, signal)
  }

  /** Changes up to 1,000 records, all or none. */
  async bulkUpdate<const F extends FormName<M> | undefined = undefined>(
    updates: readonly { readonly id: number; readonly data: Input<M, F, 'update'> }[],
    { form_id, signal }: CallOptions & UnderForm<F> = {},
  ): Promise<Bulk<M['record']>> {
    return this.#bulk('PUT', { updates, form_id }, signal)
  }

  /** Deletes up to 1,000 records, all or none. */
  async bulkDelete(ids: readonly number[], { signal }: CallOptions = {}): Promise<Bulk<M['record']>> {
    return this.#bulk('DELETE', { ids }, signal)
  }

  /** Full-text search, in the order of relevance. */
  async search(q: string, query: SearchQuery<M> = {}, { signal }: CallOptions = {}): Promise<SearchPage<M['record']>> {
    return (await this.#get('/search', searchEntries(q, query), signal)) as SearchPage<M['record']>
  }

  /**
   * All records as a file, of one moment. Read it as a stream (`body`) or at once (`text()`, `blob()`); reading fails when the file
   * cannot be finished.
   */
  export(query: ExportQuery<M> = {}, { signal }: CallOptions = {}): Promise<Response> {
    return this.#send({ method: 'GET', path: `${this.#root}/export${queryText(exportEntries(query))}`, signal })
  }

  /** Creates or updates records as a file has them, all or none; what is wrong stands under `<row>.<field>` in the error. */
  async import(
    file: string | Blob | Uint8Array<ArrayBuffer>,
    { format, dry_run, upsert_by, form_id, signal }: ImportOptions<M>,
  ): Promise<Imported> {
    const query = queryText([
      ['dry_run', dry_run],
      ['upsert_by', upsert_by],
      ['form_id', form_id],
    ])
    const headers = { 'Content-Type': MEDIA_TYPES[format] }
    return (await this.#json({ method: 'POST', path: `${this.#root}/import${query}`, headers, file, signal })) as Imported
  }

  /** Records that are made up and stored nowhere; the same seed gives the same. */
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
    return { data, etag: response.headers.get('etag') ?? '' }
  }

  async #bulk(method: 'POST' | 'PUT' | 'DELETE', body: object, signal?: AbortSignal): Promise<Bulk<M['record']>> {
    return (await this.#json({ method, path: `${this.#root}/bulk`, body, signal })) as Bulk<M['record']>
  }
}

const guarded = (etag: string | undefined): Readonly<Record<string, string>> | undefined =>
  etag === undefined ? undefined : { 'If-Match': etag }
