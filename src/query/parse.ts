import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { parseFilters } from './filters.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest, sliceOf } from './page.ts'
import { Parameters } from './parameters.ts'
import type { Plan } from './plan.ts'
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
  const page: PageRequest = {
    page: parameters.integer('page', { absent: 1, min: 1 }),
    pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_SIZE }),
  }
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
