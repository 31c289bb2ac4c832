import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { parseFilters, visible } from './filters.ts'
import { DEFAULT_FORMAT, FORMATS, type Format } from './formats.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest, sliceOf } from './page.ts'
import { Parameters } from './parameters.ts'
import type { Filter, Plan, SortKey } from './plan.ts'
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
  const parameters = new Parameters(sent, LIST_PARAMETERS, asFilter(model))
  const page = parsePage(parameters)
  const filters = parseFilters(parameters, model, registry)
  const sort = parseSort(parameters, model)
  const projection = parseProjection(parameters, model, registry)
  parameters.throwIfFaulty()
  return { page, plan: { filters, sort, ...sliceOf(page) }, projection }
}

/** Elsewhere a field is filtered by as a parameter of its own. */
const asFilter =
  (model: Model) =>
  (name: string): string | undefined =>
    visible(model, name.split('__', 1)[0] ?? '') && `; to filter by it write 'filters=${name}=…'`

/** Reads the query parameters of a single record: `fields` and `include`. */
export function parseReadQuery(sent: URLSearchParams, model: Model, registry: Registry): Projection {
  const parameters = new Parameters(sent, ['fields', 'include'])
  const projection = parseProjection(parameters, model, registry)
  parameters.throwIfFaulty()
  return projection
}

/** An export as a request asks for it. */
export interface ExportRequest {
  readonly format: Format
  /** The file begins with a byte order mark. */
  readonly bom: boolean
  readonly filters: readonly Filter[]
  readonly sort: readonly SortKey[]
  /** What is written of each record, in the model's order. */
  readonly fields: readonly Field[]
}

const EXPORT_PARAMETERS = ['format', 'bom', 'filters', 'sort_by', 'sort_order', 'fields']

/**
 * Reads the query parameters of an export: those of a list that say which records, in which order, and what of them. A relation
 * may be named by its own name or its foreign key's; it is exported by its ids.
 *
 * @throws {AppError} INVALID_REQUEST naming every parameter that is wrong
 */
export function parseExportRequest(sent: URLSearchParams, model: Model, registry: Registry): ExportRequest {
  const parameters = new Parameters(sent, EXPORT_PARAMETERS, asFilter(model))
  const format = parseFormat(parameters)
  const bom = parameters.flag('bom')
  if (bom && format !== 'csv') parameters.fault('bom', "'bom' is for CSV alone: JSON begins with no byte order mark")
  const filters = parseFilters(parameters, model, registry)
  const sort = parseSort(parameters, model)
  const columns = parseProjection(parameters, model, registry)
  parameters.throwIfFaulty()
  const names = new Set(columns.map((column) => (column.kind === 'value' ? column.name : column.field.name)))
  return { format, bom, filters, sort, fields: model.visibleFields.filter(({ name }) => names.has(name)) }
}

function parseFormat(parameters: Parameters): Format {
  const named = parameters.one('format') ?? DEFAULT_FORMAT
  const format = FORMATS.find((each) => each === named)
  if (format === undefined) parameters.fault('format', `'format' must be one of ${FORMATS.join(', ')}, not '${named}'`)
  return format ?? DEFAULT_FORMAT
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
  const parameters = new Parameters(sent, SEARCH_PARAMETERS, asFilter(model))
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
