import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { FIELD_TYPES } from '../model/fields.ts'
import type { Model } from '../model/model.ts'
import { parseSearchRequest, parseSiteSearch, type SearchRequest } from '../query/parse.ts'
import { type FieldFilter, type Plan, pageJson, sliceOf } from '../query/plan.ts'
import { type ParsedSearch, type Positions, readQuery } from '../search/query.ts'
import { isSearchable, notReady, type SearchEngine, type SearchReading, weightedFields } from '../search/search-engine.ts'
import { type Hit, SearchIndex } from '../search/search-index.ts'
import { textOf } from '../search/tokens.ts'
import type { ReadOptions, StoredRecord } from '../store/store.ts'
import { arrayJson, type RecordSerializer } from './record-json.ts'

/** Maximum number of attempts of a search whose index changes while filters are evaluated. */
const MAX_ATTEMPTS = 20

/** Characters of records that are highlighted before yielding to the event loop. */
const MAX_AT_ONCE = 100_000

/** Counts all records. */
const ALL: Plan = { filters: [], sort: [], offset: 0, limit: 0 }

const PARTIAL = 'No record has all of the words; these have some of them'

export interface SearchesOptions {
  readonly access: AccessRules
  readonly writer: RecordSerializer
  readonly indexes: SearchEngine
  /** Yields to the event loop. */
  readonly pause: () => Promise<unknown>
}

/** A search of a model, on behalf of an actor. */
interface Asking extends Pick<Plan, 'filters' | 'sort'> {
  readonly actor: Actor
  readonly model: Model
  readonly query: ParsedSearch
  readonly page: Pick<Plan, 'offset' | 'limit'>
}

/** One page of search results. */
export interface FoundPageOfModel {
  readonly model: Model
  /** By descending relevance, or in the requested order. */
  readonly hits: readonly (Hit & { readonly record: StoredRecord })[]
  /** Total number of matches. If records are missing, also of those that matched as they were. */
  readonly total: number
  /** Number of records that are not searched, or as they were, since many changed at once. */
  readonly missing: number
  /** Notices for people, for example about ignored words. */
  readonly notices: readonly string[]
  /** Returns the positions of the matched words in a record's stored fields, in UTF-16 code units. */
  readonly matchesIn: (record: StoredRecord) => Positions
}

/** Search results for a response. */
export interface SearchAnswer {
  /** JSON. */
  readonly body: string
  /** Number of records that the search may have missed. */
  readonly missing: number
}

/** Full-text search on behalf of an actor. */
export class Searches {
  readonly #access: AccessRules
  readonly #writer: RecordSerializer
  readonly #indexes: SearchEngine
  readonly #pause: () => Promise<unknown>

  constructor({ access, writer, indexes, pause }: SearchesOptions) {
    this.#access = access
    this.#writer = writer
    this.#indexes = indexes
    this.#pause = pause
  }

  /**
   * Returns a page of search results in its envelope.
   *
   * @param query query string without the question mark
   * @param options a signal that ends the search
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY, ANSWER_TOO_LARGE
   */
  async search(actor: Actor, modelKey: string, query: string, options?: ReadOptions): Promise<SearchAnswer> {
    const model = this.#modelFor(actor, modelKey)
    const request = parseSearchRequest(new URLSearchParams(query), model, this.#access.registry)
    const found = await this.find(actor, model.key, request, options)
    return { body: await this.#json(actor, request, found), missing: found.missing }
  }

  /**
   * Searches all models that the actor may view, and returns the best hits.
   *
   * @param query query string without the question mark
   * @param options a signal that ends the search
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY
   */
  async everywhere(actor: Actor, query: string, options?: ReadOptions): Promise<SearchAnswer> {
    const { q, models, complete, limit } = parseSiteSearch(new URLSearchParams(query))
    const viewable = this.#access.registry.public.filter((each) => this.#access.may(actor, 'view', each) && isSearchable(each))
    const chosen = models === undefined ? viewable : models.map((key) => this.#modelFor(actor, key))
    const hits: { score: number }[] = []
    let total = 0
    let missing = 0
    let length = 0
    for (const model of new Set(chosen)) {
      const request = { q, fields: undefined, fuzzy: false, complete, page: { page: 1, pageSize: limit }, filters: [], sort: [] }
      const found = await this.find(actor, model.key, request, options)
      total += found.total
      missing += found.missing
      for (const { id, score, record } of found.hits) {
        const label = String(record[model.displayField] ?? id)
        hits.push({ ...{ model: model.key, id, label }, score: rounded(score), ...{ matches: found.matchesIn(record) } })
        length += model.searchableFields.reduce((sum, { name }) => sum + textOf(record, name).length, 0)
        if (length < MAX_AT_ONCE) continue
        await this.#pause()
        length = 0
      }
    }
    const best = hits.sort((a, b) => b.score - a.score).slice(0, limit)
    return { body: JSON.stringify({ data: best, total, ...(missing === 0 ? {} : { missing }) }), missing }
  }

  /**
   * Finds a page of search results.
   *
   * @param options a signal that ends the search
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY
   */
  async find(
    actor: Actor,
    modelKey: string,
    request: Omit<SearchRequest, 'projection'>,
    options?: ReadOptions,
  ): Promise<FoundPageOfModel> {
    const { q, fields, fuzzy, complete, page } = request
    const model = this.#modelFor(actor, modelKey)
    const { filters, sort } = this.#access.restricted(actor, model, request)
    const query = readQuery(q, { fields, fuzzy })
    const asking = { actor, model, query, filters, sort, page: sliceOf(page) }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const how = { ...options, isComplete: complete }
      const found = await this.#indexes.within(model, query, (reading) => this.#findIn(reading, asking), how)
      if (found !== undefined) return found
    }
    throw notReady(`${model.name} changes faster than it can be searched`)
  }

  /** @returns undefined if the index or a record changed meanwhile */
  async #findIn(
    reading: SearchReading,
    { actor, model, query, filters, sort, page }: Asking,
  ): Promise<FoundPageOfModel | undefined> {
    const { index, records, isComplete } = reading
    const visible = this.#access.restricted(actor, model, ALL)
    const known = visible === ALL ? undefined : (await records.find(model.key, visible)).total
    // The words of deleted records may still be there.
    const among =
      filters.length === 0 && isComplete ? undefined : await records.matching(model.key, filters, index.candidates(query))
    if (among !== undefined && known !== undefined) await reading.narrow(among)
    if (!reading.isCurrent()) return undefined
    const found = index.search(query, sort.length === 0 ? page : undefined, among, known)
    // Read in the step that found them, so that none of the records is missing.
    const hits =
      sort.length === 0
        ? withRecords(found.hits, await records.get(model.key, idsOf(found.hits)))
        : await sorted(records, model, found.hits, { sort, ...page })
    if (hits === undefined) return undefined
    const notices = found.partial ? [...query.notices, PARTIAL] : query.notices
    const matchesIn = (record: StoredRecord) => found.positionsIn(record)
    if (isComplete) return { model, hits, total: found.total, missing: 0, notices, matchesIn }
    const missing = await reading.countMissing(visible.filters)
    const present = await this.#presentHits(model, query, hits, found.partial)
    // A page without all matches does not tell how many of the others are outdated.
    const total = hits.length < found.total ? found.total : present.length
    return { model, hits: present, total, missing, notices, matchesIn }
  }

  /** Those of the hits whose records match as they are now. */
  async #presentHits(model: Model, query: ParsedSearch, hits: FoundPageOfModel['hits'], isPartial: boolean) {
    const index = new SearchIndex(weightedFields(model))
    for (const { id, record } of hits) index.replace(id, record)
    while (!index.isSettled) {
      index.settle(() => true)
      await this.#pause()
    }
    const { hits: whole, partial } = index.search(query, undefined)
    const ids = new Set(isPartial ? index.candidates(query) : partial ? [] : idsOf(whole))
    return hits.filter(({ id }) => ids.has(id))
  }

  /**
   * Serialises search results for a response.
   *
   * @throws {AppError} ANSWER_TOO_LARGE
   */
  async #json(actor: Actor, { page, projection }: SearchRequest, found: FoundPageOfModel): Promise<string> {
    const { model, hits, total, missing, notices, matchesIn } = found
    const records = hits.map(({ record }) => record)
    const written = await this.#writer.write(actor, model, records, this.#access.visibleTo(actor, projection))
    const places: object[] = []
    let length = 0
    for (const [index, { id, score, record }] of hits.entries()) {
      places.push({ id, score: rounded(score), matches: matchesIn(record) })
      // Highlighting megabytes of text takes long, so it yields to the event loop.
      length += written[index]?.text.length ?? 0
      if (length < MAX_AT_ONCE) continue
      await this.#pause()
      length = 0
    }
    const lacking = missing === 0 ? '' : `,"missing":${missing}`
    const told = notices.length === 0 ? '' : `,"notices":${JSON.stringify(notices)}`
    return pageJson(arrayJson(written), total, page, `"hits":${JSON.stringify(places)}${lacking}${told}`)
  }

  #modelFor(actor: Actor, modelKey: string): Model {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    if (!isSearchable(model)) throw new AppError('INVALID_REQUEST', howToSearch(model))
    return model
  }
}

/** A page of all hits, sorted by fields of the records; undefined if a record was removed meanwhile. */
async function sorted(
  records: SearchReading['records'],
  model: Model,
  hits: readonly Hit[],
  order: Omit<Plan, 'filters'>,
): Promise<FoundPageOfModel['hits'] | undefined> {
  const filters: FieldFilter[] = [{ field: 'id', operator: 'in', values: idsOf(hits) }]
  const { records: page, total } = await records.find(model.key, { filters, ...order })
  const scores = new Map(hits.map(({ id, score }) => [id, score]))
  return total === hits.length ? page.map((record) => ({ id: record.id, score: scores.get(record.id) ?? 0, record })) : undefined
}

function howToSearch({ name }: Model): string {
  const types = Object.values(FIELD_TYPES).flatMap((type) => (type.searchable ? [type.name] : []))
  return `${name} has no searchable field; give the model a field of type ${types.join(', ')} without \`searchable: false\``
}

const idsOf = (hits: readonly Hit[]): number[] => hits.map(({ id }) => id)

/** @returns undefined if a record is missing */
function withRecords(hits: readonly Hit[], records: readonly (StoredRecord | undefined)[]): FoundPageOfModel['hits'] | undefined {
  const joined = hits.flatMap((hit, index) => {
    const record = records[index]
    return record === undefined ? [] : [{ ...hit, record }]
  })
  return joined.length === hits.length ? joined : undefined
}

/** Rounds a score to four significant digits. */
const rounded = (score: number): number => Number(score.toPrecision(4))
