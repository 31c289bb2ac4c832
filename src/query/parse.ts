import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { parseFilters } from './filters.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest, sliceOf } from './page.ts'
import { Parameters } from './parameters.ts'
import type { Filter, Plan } from './plan.ts'
import { type Projection, parseProjection } from './project.ts'
import { parseSort } from './sort.ts'

/** A list as a request asks for it. */
export interface ListQuery {
  readonly page: PageRequest
  readonly plan: Plan
  readonly projection: Projection
}

const LIST_PARAMETERS = ['page', 'page_size', 'fields', 'filters', 'sort_by', 'sort_order', 'include']

/**
 * Reads the query parameters of a list.
 *
 * @throws {AppError} INVALID_REQUEST naming every parameter that is wrong
 */
export function parseListQuery(sent: URLSearchParams, model: Model, registry: Registry): ListQuery {
  const parameters = new Parameters(sent, LIST_PARAMETERS)
  const page = parsePage(parameters)
  const filters = parseFilters(parameters, model, registry)
  const sort = parseSort(parameters, model)
  const projection = parseProjection(parameters, model, registry)
  parameters.throwIfFaulty()
  return { page, plan: { filters, sort, ...sliceOf(page) }, projection }
}

/** Reads the query parameters of a single record: `fields` and `include`. */
export function parseReadQuery(sent: URLSearchParams, model: Model, registry: Registry): Projection {
  const parameters = new Parameters(sent, ['fields', 'include'])
  const projection = parseProjection(parameters, model, registry)
  parameters.throwIfFaulty()
  return projection
}

/** A search as a request asks for it. */
export interface SearchRequest {
  /** What to look for: text, not a query language. */
  readonly q: string
  /** The fields to look into; undefined for all that are searchable. */
  readonly fields: readonly string[] | undefined
  readonly fuzzy: boolean
  readonly page: PageRequest
  /** All must hold. */
  readonly filters: readonly Filter[]
}

const SEARCH_PARAMETERS = ['q', 'fields', 'fuzzy', 'page', 'page_size', 'filters']

/**
 * Reads the query parameters of a search.
 *
 * @throws {AppError} INVALID_REQUEST naming every parameter that is wrong
 */
export function parseSearchRequest(sent: URLSearchParams, model: Model, registry: Registry): SearchRequest {
  const parameters = new Parameters(sent, SEARCH_PARAMETERS)
  const q = parameters.one('q')
  if (q === undefined || q.trim() === '') {
    parameters.fault('q', `'q' is ${q === undefined ? 'missing' : 'empty'}; write what to search for`)
  }
  const fields = parseSearchFields(parameters, model)
  const fuzzy = parameters.flag('fuzzy')
  const page = parsePage(parameters)
  const filters = parseFilters(parameters, model, registry)
  parameters.throwIfFaulty()
  return { q: q ?? '', fields, fuzzy, page, filters }
}

/** A field that is not searched is named like one that is not there: searching must not tell of it. */
function parseSearchFields(parameters: Parameters, model: Model): string[] | undefined {
  const names = parameters.names('fields')
  const known = model.searchableFields.map(({ name }) => name)
  for (const name of new Set(names)) {
    if (!known.includes(name)) parameters.fault('fields', `Unknown search field '${name}'${meantOrKnown(name, known)}`)
  }
  return names
}

const parsePage = (parameters: Parameters): PageRequest => ({
  page: parameters.integer('page', { absent: 1, min: 1 }),
  pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_SIZE }),
})
