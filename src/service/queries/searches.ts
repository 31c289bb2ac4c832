import type { Actor } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { FIELD_TYPES } from '../../model/fields.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { pageJson, sliceOf } from '../../query/page.ts'
import { parseSearchRequest, type SearchRequest } from '../../query/parse.ts'
import { fullProjection } from '../../query/project.ts'
import type { Positions } from '../../search/highlight.ts'
import { readQuery } from '../../search/query.ts'
import type { Hit } from '../../search/search-index.ts'
import type { Store, StoredRecord } from '../../store/store.ts'
import { modelFor } from '../model-access.ts'
import { arrayJson, type RecordWriter } from './record-json.ts'
import { isSearchable, notReady, type SearchIndexes } from './search-indexes.ts'
import { checkFilters, visibleTo } from './visibility.ts'

/** How often a search is done anew because records changed while they were held against filters. */
const MAX_ATTEMPTS = 20

/** In so many characters of records words are found in one go. */
const MAX_AT_ONCE = 100_000

const PARTIAL = 'No record has all of the words; these have some of them'

export interface SearchesOptions {
  readonly registry: Registry
  readonly store: Store
  readonly writer: RecordWriter
  readonly indexes: SearchIndexes
  /** Lets others have their turn. */
  readonly pause: () => Promise<unknown>
}

/** What a search found: a page of it. */
export interface SearchPage {
  readonly model: Model
  /** By relevance. */
  readonly hits: readonly (Hit & { readonly record: StoredRecord })[]
  /** How many were found in all. */
  readonly total: number
  /** What a person should know of how it was found. */
  readonly notices: readonly string[]
  /** Where the words are in a record: places in the stored text of its fields, in UTF-16 code units. */
  readonly matchesIn: (record: StoredRecord) => Positions
}

/** Searches the text of records on somebody's behalf. */
export class Searches {
  readonly #registry: Registry
  readonly #store: Store
  readonly #writer: RecordWriter
  readonly #indexes: SearchIndexes
  readonly #pause: () => Promise<unknown>

  constructor({ registry, store, writer, indexes, pause }: SearchesOptions) {
    this.#registry = registry
    this.#store = store
    this.#writer = writer
    this.#indexes = indexes
    this.#pause = pause
  }

  /**
   * A page of what a search finds, in its envelope: JSON.
   *
   * @param query as it was sent, without the question mark
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY, ANSWER_TOO_LARGE
   */
  async search(actor: Actor, modelKey: string, query: string): Promise<string> {
    const model = this.#modelFor(actor, modelKey)
    const request = parseSearchRequest(new URLSearchParams(query), model, this.#registry)
    return this.json(actor, request, await this.find(actor, model.key, request))
  }

  /**
   * A page of what a search finds.
   *
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY
   */
  async find(actor: Actor, modelKey: string, { q, fields, fuzzy, filters, page }: SearchRequest): Promise<SearchPage> {
    const model = this.#modelFor(actor, modelKey)
    checkFilters(this.#registry, actor, filters)
    const query = readQuery(q, { fields, fuzzy })
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const index = await this.#indexes.of(model)
      const { version } = index
      const among = filters.length === 0 ? undefined : await this.#store.matching(model.key, filters, index.candidates(query))
      if (index.version !== version) continue
      const found = index.search(query, sliceOf(page), among)
      // Asked for in the step that found them, so that none of them is gone.
      const hits = withRecords(found.hits, await this.#store.get(model.key, idsOf(found.hits)))
      if (hits === undefined) continue
      const notices = found.partial ? [...query.notices, PARTIAL] : query.notices
      return { model, hits, total: found.total, notices, matchesIn: (record) => found.positionsIn(record) }
    }
    throw notReady(`${model.name} changes faster than it can be searched`)
  }

  /**
   * What was found, as it is sent.
   *
   * @throws {AppError} ANSWER_TOO_LARGE
   */
  async json(actor: Actor, { page }: SearchRequest, found: SearchPage): Promise<string> {
    const { model, hits, total, notices, matchesIn } = found
    const full = fullProjection(model, this.#registry)
    const records = hits.map(({ record }) => record)
    const written = await this.#writer.write(model, records, visibleTo(actor, full), full)
    const places: object[] = []
    let length = 0
    for (const [index, { id, score, record }] of hits.entries()) {
      places.push({ id, score: rounded(score), matches: matchesIn(record) })
      // Finding words takes a while in texts of megabytes.
      length += written[index]?.text.length ?? 0
      if (length < MAX_AT_ONCE) continue
      await this.#pause()
      length = 0
    }
    const told = notices.length === 0 ? '' : `,"notices":${JSON.stringify(notices)}`
    return pageJson(arrayJson(written), total, page, `"hits":${JSON.stringify(places)}${told}`)
  }

  #modelFor(actor: Actor, modelKey: string): Model {
    const model = modelFor(this.#registry, actor, 'view', modelKey)
    if (!isSearchable(model)) throw new AppError('INVALID_REQUEST', howToSearch(model))
    return model
  }
}

function howToSearch({ name }: Model): string {
  const types = Object.values(FIELD_TYPES).flatMap((type) => (type.searchable ? [type.name] : []))
  return `${name} has no searchable field; give the model a field of type ${types.join(', ')} without \`searchable: false\``
}

const idsOf = (hits: readonly Hit[]): number[] => hits.map(({ id }) => id)

/** @returns undefined when a record is missing */
function withRecords(hits: readonly Hit[], records: readonly (StoredRecord | undefined)[]): SearchPage['hits'] | undefined {
  const joined = hits.flatMap((hit, index) => {
    const record = records[index]
    return record === undefined ? [] : [{ ...hit, record }]
  })
  return joined.length === hits.length ? joined : undefined
}

/** To four digits: more tell nobody anything. */
const rounded = (score: number): number => Number(score.toPrecision(4))
