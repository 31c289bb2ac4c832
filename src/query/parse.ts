import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { FILTER_PARAMETERS, parseFilters, visible } from './filters.ts'
import { DEFAULT_FORMAT, EXPORT_FORMATS, type ExportFormat } from './formats.ts'
import { Parameters } from './parameters.ts'
import { DEFAULT_PAGE_SIZE, type Filter, MAX_PAGE_RECORDS, type PageRequest, type Plan, type SortKey, sliceOf } from './plan.ts'
import { parseProjection, type RecordProjection } from './project.ts'
import { parseSort } from './sort.ts'

/** A parsed list request. */
export interface ParsedListQuery {
  readonly page: PageRequest
  readonly plan: Plan
  readonly projection: RecordProjection
  /** True if the versions of the records, and what the actor may do with each, are asked for. */
  readonly editing: boolean
}

const PLAIN_LIST_PARAMETERS = ['page', 'page_size', ...FILTER_PARAMETERS, 'sort_by', 'sort_order']
const LIST_PARAMETERS = ['page', 'page_size', 'fields', ...FILTER_PARAMETERS, 'sort_by', 'sort_order', 'include', 'editing']

/**
 * Parses the query parameters of a list.
 *
 * @throws {AppError} INVALID_REQUEST with the errors by parameter
 */
export function parseListQuery(sent: URLSearchParams, model: Model, registry: Registry): ParsedListQuery {
  const parameters = new Parameters(sent, LIST_PARAMETERS, asFilter(model))
  const list = parseList(parameters, model, registry)
  const projection = parseProjection(parameters, model, registry, parameters.names('fields'))
  const editing = parameters.flag('editing')
  parameters.throwIfFaulty()
  return { ...list, projection, editing }
}

/** A parsed list request without a projection. */
export type PlainListQuery = Omit<ParsedListQuery, 'projection' | 'editing'>

/**
 * Parses the query parameters of a list whose records are returned as they are.
 *
 * @throws {AppError} INVALID_REQUEST with the errors by parameter
 */
export function parsePlainList(sent: URLSearchParams, model: Model, registry: Registry): PlainListQuery {
  const parameters = new Parameters(sent, PLAIN_LIST_PARAMETERS, asFilter(model))
  const list = parseList(parameters, model, registry)
  parameters.throwIfFaulty()
  return list
}

function parseList(parameters: Parameters, model: Model, registry: Registry): PlainListQuery {
  const page = parsePage(parameters)
  const filters = parseFilters(parameters, model, registry)
  const sort = parseSort(parameters, model, registry)
  return { page, plan: { filters, sort, ...sliceOf(page) } }
}

/** Other servers use a parameter for each field, so the error explains `filters`. */
const asFilter =
  (model: Model) =>
  (name: string): string | undefined =>
    visible(model, name.split('__', 1)[0] ?? '') && `; to filter by it write 'filters=${name}=…'`

/** Parses the query parameters of a single record: `fields` and `include`. */
export function parseReadQuery(sent: URLSearchParams, model: Model, registry: Registry): RecordProjection {
  const parameters = new Parameters(sent, ['fields', 'include'])
  const projection = parseProjection(parameters, model, registry, parameters.names('fields'))
  parameters.throwIfFaulty()
  return projection
}

/** How an export writes what people read in the place of what is stored. */
export interface LabelRequest {
  /** The list view whose titles and labels come first. */
  readonly listId: string | undefined
  /** IANA name of the time zone of dates with a time. */
  readonly timeZone: string
}

/** A parsed export request. */
export interface ExportRequest {
  readonly format: ExportFormat
  /** True to start the file with a byte order mark. */
  readonly bom: boolean
  /** Undefined for the stored values. */
  readonly labels: LabelRequest | undefined
  readonly filters: readonly Filter[]
  readonly sort: readonly SortKey[]
  /** The exported fields: in the requested order with labels, otherwise in the model's, with the id. */
  readonly fields: readonly Field[]
}

const LABEL_PARAMETERS = ['list_id', 'time_zone']
const EXPORT_PARAMETERS = [
  'format',
  'bom',
  'labels',
  ...LABEL_PARAMETERS,
  ...FILTER_PARAMETERS,
  'sort_by',
  'sort_order',
  'fields',
]

/**
 * Parses the query parameters of an export: filters, sort order and fields. A relation may be named by its own name or by its
 * foreign key; it is exported as ids, or by its labels.
 *
 * @throws {AppError} INVALID_REQUEST with the errors by parameter
 */
export function parseExportRequest(sent: URLSearchParams, model: Model, registry: Registry): ExportRequest {
  const parameters = new Parameters(sent, EXPORT_PARAMETERS, asFilter(model))
  const format = parseFormat(parameters)
  const bom = parameters.flag('bom')
  if (bom && format !== 'csv') parameters.fault('bom', "'bom' is for CSV alone: other files begin with no byte order mark")
  const labels = parseLabels(parameters, format)
  const filters = parseFilters(parameters, model, registry)
  const sort = parseSort(parameters, model, registry)
  const names = parameters.names('fields')
  const columns = parseProjection(parameters, model, registry, names)
  for (const { kind, name } of columns) if (kind === 'count') parameters.fault('fields', `'${name}' cannot be exported`)
  parameters.throwIfFaulty()
  const chosen = new Set(columns.map((column) => ('field' in column ? column.field.name : column.name)))
  const ordered = new Set((names ?? []).map((name) => model.relations.get(name) ?? model.fields.get(name)))
  const inOrder = [...ordered].filter((field) => field !== undefined)
  const inModel = model.visibleFields.filter(({ name }) => chosen.has(name))
  return { format, bom, labels, filters, sort, fields: labels === undefined || names === undefined ? inModel : inOrder }
}

function parseFormat(parameters: Parameters): ExportFormat {
  const named = parameters.one('format') ?? DEFAULT_FORMAT
  const format = EXPORT_FORMATS.find((each) => each === named)
  if (format === undefined) parameters.fault('format', `'format' must be one of ${EXPORT_FORMATS.join(', ')}, not '${named}'`)
  return format ?? DEFAULT_FORMAT
}

function parseLabels(parameters: Parameters, format: ExportFormat): LabelRequest | undefined {
  const isOn = parameters.flag('labels')
  if (isOn && format !== 'csv' && format !== 'xlsx') {
    parameters.fault('labels', "'labels' is for CSV and XLSX: JSON has the names and values of the fields")
  }
  for (const name of LABEL_PARAMETERS) {
    if (!isOn && parameters.has(name)) parameters.fault(name, `'${name}' is for exports with labels=true`)
  }
  const timeZone = parameters.one('time_zone') ?? 'UTC'
  if (!isTimeZone(timeZone)) parameters.fault('time_zone', `'time_zone' must be a name such as Europe/Berlin, not '${timeZone}'`)
  const listId = parameters.one('list_id')
  return isOn ? { listId, timeZone } : undefined
}

/** True for a time zone of the IANA database, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** A parsed search request. */
export interface SearchRequest {
  /** The text to search for. It has no query syntax. */
  readonly q: string
  /** The fields to search; undefined for all searchable ones. */
  readonly fields: readonly string[] | undefined
  readonly fuzzy: boolean
  /** True if no matching record may be missing. */
  readonly complete: boolean
  readonly page: PageRequest
  /** Combined by AND. */
  readonly filters: readonly Filter[]
  /** Empty for the order of relevance. */
  readonly sort: readonly SortKey[]
  readonly projection: RecordProjection
}

const SEARCH_PARAMETERS = [
  'q',
  'fields',
  'fuzzy',
  'complete',
  'page',
  'page_size',
  ...FILTER_PARAMETERS,
  'sort_by',
  'sort_order',
  'include',
]

/**
 * Parses the query parameters of a search.
 *
 * @throws {AppError} INVALID_REQUEST with the errors by parameter
 */
export function parseSearchRequest(sent: URLSearchParams, model: Model, registry: Registry): SearchRequest {
  const parameters = new Parameters(sent, SEARCH_PARAMETERS, asFilter(model))
  const q = parseWords(parameters)
  const fields = parseSearchFields(parameters, model)
  const fuzzy = parameters.flag('fuzzy')
  const complete = parameters.flag('complete')
  const page = parsePage(parameters)
  const filters = parseFilters(parameters, model, registry)
  const sort = parseSort(parameters, model, registry)
  const projection = parseProjection(parameters, model, registry, undefined)
  parameters.throwIfFaulty()
  return { q, fields, fuzzy, complete, page, filters, sort, projection }
}

/** A parsed search over all models. */
export interface SiteSearchRequest {
  readonly q: string
  /** Keys of the models to search; undefined for all. */
  readonly models: readonly string[] | undefined
  /** True if no matching record may be missing. */
  readonly complete: boolean
  readonly limit: number
}

const DEFAULT_HITS = 20
const MAX_HITS = 50

/**
 * Parses the query parameters of a search over all models.
 *
 * @throws {AppError} INVALID_REQUEST with the errors by parameter
 */
export function parseSiteSearch(sent: URLSearchParams): SiteSearchRequest {
  const parameters = new Parameters(sent, ['q', 'models', 'complete', 'limit'])
  const q = parseWords(parameters)
  const models = parameters.names('models')
  const complete = parameters.flag('complete')
  const limit = parameters.integer('limit', { absent: DEFAULT_HITS, min: 1, max: MAX_HITS })
  parameters.throwIfFaulty()
  return { q, models, complete, limit }
}

function parseWords(parameters: Parameters): string {
  const q = parameters.one('q')
  if (q === undefined || q.trim() === '') {
    parameters.fault('q', `'q' is ${q === undefined ? 'missing' : 'empty'}; write what to search for`)
  }
  return q ?? ''
}

/** A field that is not searchable gets the same error as an unknown one, so that the error reveals nothing about it. */
function parseSearchFields(parameters: Parameters, model: Model): string[] | undefined {
  const names = parameters.names('fields')
  const known = model.searchableFields.map(({ name }) => name)
  for (const name of new Set(names)) {
    if (!known.includes(name)) parameters.fault('fields', () => `Unknown search field '${name}'${meantOrKnown(name, known)}`)
  }
  return names
}

const parsePage = (parameters: Parameters): PageRequest => ({
  page: parameters.integer('page', { absent: 1, min: 1 }),
  pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_RECORDS }),
})
