import type {
  ConditionalFilter,
  CrudFilter,
  CrudSort,
  CustomParams,
  DataProvider,
  LogicalFilter,
  MetaQuery,
} from '@refinedev/core'
import { AdminError, type FieldErrors } from './admin-error.ts'
import { type Client, type Typed, untyped } from './client.ts'
import { type FilteredFields, ModelShapes, UNKNOWN_FIELDS, type Values } from './model-shapes.ts'
import { inBulk, pageOf, recordsOf, updateSafely, uploadedIn } from './providers.ts'
import {
  type ConvertedFilters,
  emptyTextFilters,
  filledTextFilter,
  filterEntries,
  filterParameter,
  type QueryEntries,
  searchedText,
  sortEntries,
} from './query.ts'
import type { CallOptions, Projection } from './types-calls.ts'

/** Number of records whose last version is remembered. */
const MAX_SEEN = 100

/** Options of `dataProvider`. */
export interface DataProviderOptions {
  /** The forms that validate created and updated records, unless `meta.form_id` names another: `{post: {create: 'PostForm'}}`. */
  readonly forms?: Readonly<Record<string, { readonly create?: string; readonly update?: string }>>
}

/**
 * Creates a data provider for refine. Each model is a resource, by its key.
 *
 * Records are as the API returns them, except that many-to-many members are arrays of ids. Values that are a `File`, or an item of Ant
 * Design's `Upload`, are uploaded before the record is written. The filter `q` searches the text; its
 * results are ordered by relevance unless there are sorters. Filters
 * and operators that the API does not support fail with status 400. `meta` accepts `fields`, `include`, `form_id` and `if_match`.
 */
export function dataProvider<Models extends Typed<Models>>(
  client: Client<Models>,
  { forms = {} }: DataProviderOptions = {},
): Required<DataProvider> {
  const models = untyped(client)
  const shapes = new ModelShapes(models)
  const formOf = (resource: string, action: 'create' | 'update', meta: MetaQuery = {}): { readonly form_id?: string } => {
    const form_id: string | undefined = meta.form_id ?? forms[resource]?.[action]
    return form_id === undefined ? {} : { form_id }
  }
  // `never` is assignable to the record type, a type parameter that only the caller of the hook knows.
  const typed = async (resource: string, records: readonly Values[]) => (await shapes.edited(resource, records)) as never[]
  const one = async (resource: string, record: Values) => ({ data: (await shapes.edited(resource, [record]))[0] as never })
  const settable = (resource: string, variables: unknown) => shapes.settable(resource, variables as Values)

  /** The records that were read last, whole: the versions that users edit. */
  const seen = new Map<string, Values>()
  const remember = (resource: string, record: Values): void => {
    const key = `${resource}/${record.id}`
    seen.delete(key)
    seen.set(key, record)
    const [oldest] = seen.keys()
    if (seen.size > MAX_SEEN && oldest !== undefined) seen.delete(oldest)
  }

  return {
    getApiUrl: () => models.apiUrl,

    getList: ({ resource, pagination = {}, sorters, filters, meta }) =>
      forRefine(async () => {
        const model = models.model(resource)
        const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination
        const { q, ...filtering } = listFilter(filters, await shapes.filteredFields(resource))
        const sort = sortKeys(sorters)
        const fetchPage = (page: number, page_size: number) =>
          q === undefined
            ? model.list({ ...projectionOf(meta), ...filtering, sort, page, page_size }, optionsOf(meta))
            : model.search(q, { ...filtering, sort, page, page_size }, optionsOf(meta))
        const page = mode === 'server' ? ([currentPage, pageSize] as const) : ([1, Number.MAX_SAFE_INTEGER] as const)
        const { data, total } = await pageOf(fetchPage, ...page)
        return { data: await typed(resource, data), total }
      }),

    getOne: ({ resource, id, meta }) =>
      forRefine(async () => {
        const { data } = await models.model(resource).read(id, { ...projectionOf(meta), ...optionsOf(meta) })
        if (meta?.fields === undefined) remember(resource, data)
        return one(resource, data)
      }),

    getMany: ({ resource, ids, meta }) =>
      forRefine(async () => {
        const records = await recordsOf(models.model(resource), ids, projectionOf(meta), optionsOf(meta))
        return { data: await typed(resource, records) }
      }),

    create: ({ resource, variables, meta }) =>
      forRefine(async () => {
        const form = formOf(resource, 'create', meta)
        const created = await shapes.naming(resource, form.form_id, async () => {
          const input = await settable(resource, await uploadedIn(models.model(resource), variables as Values))
          return models.model(resource).create(input, form)
        })
        return one(resource, created.data)
      }),

    createMany: ({ resource, variables, meta }) =>
      forRefine(async () => {
        const inputs = await Promise.all(variables.map((each) => settable(resource, each)))
        const form = formOf(resource, 'create', meta)
        const create = (some: readonly Values[]) => models.model(resource).bulkCreate(some, form)
        return { data: await typed(resource, await shapes.naming(resource, form.form_id, () => inBulk(inputs, create))) }
      }),

    update: ({ resource, id, variables, meta }) =>
      forRefine(async () => {
        const edit = {
          resource,
          id,
          data: variables as Values,
          previous: seen.get(`${resource}/${id}`),
          if_match: guardOf(meta).if_match,
        }
        const updated = await updateSafely(models, shapes, { ...edit, ...formOf(resource, 'update', meta) })
        remember(resource, updated)
        return one(resource, updated)
      }),

    updateMany: ({ resource, ids, variables, meta }) =>
      forRefine(async () => {
        const data = await settable(resource, variables)
        const updates = ids.map((id) => ({ id: Number(id), data }))
        const form = formOf(resource, 'update', meta)
        const update = () => inBulk(updates, (some) => models.model(resource).bulkUpdate([...some], form))
        return { data: await typed(resource, await shapes.naming(resource, form.form_id, update)) }
      }),

    deleteOne: ({ resource, id, meta }) =>
      forRefine(async () => one(resource, (await models.model(resource).delete(id, guardOf(meta))).data)),

    deleteMany: ({ resource, ids }) =>
      forRefine(async () => {
        const deleted = await inBulk(ids.map(Number), (some) => models.model(resource).bulkDelete(some))
        return { data: await typed(resource, deleted) }
      }),

    custom: (params) =>
      forRefine(async () => {
        const path = pathOf(params.url, models.apiUrl)
        const { headers = {}, payload, meta } = params
        const request = { method: methodOf(params), query: customQuery(params), headers, ...optionsOf(meta) }
        return { data: (await models.request(path, payload === undefined ? request : { ...request, body: payload })) as never }
      }),
  }
}

/** Converts a URL to a path of the API. Other addresses are rejected, since the request carries the access token. */
function pathOf(url: string, apiUrl: string): string {
  if (url.startsWith(`${apiUrl}/`)) return url.slice(apiUrl.length)
  if (url.startsWith('/') && !url.startsWith('//')) return url
  throw new TypeError(`'${url}' is not a URL of this API; use a path below ${apiUrl}, or call fetch`)
}

function methodOf({ method }: CustomParams): 'GET' | 'POST' | 'PUT' | 'DELETE' {
  const name = method.toUpperCase()
  if (name === 'GET' || name === 'POST' || name === 'PUT' || name === 'DELETE') return name
  throw new TypeError(`The API does not support the method ${name}`)
}

function customQuery({ query, filters, sorters }: CustomParams): QueryEntries {
  const own = Object.entries((query ?? {}) as Record<string, unknown>).flatMap(
    ([name, value]): QueryEntries => (value === undefined ? [] : [value].flat().map((each) => [name, String(each)])),
  )
  const { q, ...filtering } = listFilter(filters)
  return [...own, ['q', q], ...filterEntries(filtering), ...sortEntries(sortKeys(sorters))]
}

/** The abort signal of a query. Read only where it is passed on: reading it lets TanStack Query abort the query on unmount. */
function optionsOf(meta: MetaQuery = {}): CallOptions {
  const signal = meta.queryContext?.signal
  return signal === undefined ? {} : { signal }
}

function guardOf(meta: MetaQuery = {}): { readonly if_match?: string } {
  const if_match: string | undefined = meta.if_match
  return if_match === undefined ? {} : { if_match }
}

function projectionOf({ fields, include }: MetaQuery = {}): Projection<string, string> {
  const names = fields?.filter((field) => typeof field === 'string')
  if (names?.length !== fields?.length) throw new TypeError('meta.fields must contain names of fields only')
  return { fields: names, include: include as readonly string[] | undefined }
}

type Operator = LogicalFilter['operator']

/** The API's suffix of each supported operator. */
const SUFFIXES: Partial<Record<Operator, string>> = {
  eq: '',
  eqs: '',
  ne: '__ne',
  nes: '__ne',
  lt: '__lt',
  lte: '__lte',
  gt: '__gt',
  gte: '__gte',
  in: '__in',
  contains: '__icontains',
  startswiths: '__startswith',
  endswiths: '__endswith',
}

/** Alternatives to unsupported operators. */
const ALTERNATIVES: Partial<Record<Operator, string>> = {
  containss: "'contains', which ignores case",
  startswith: "'startswiths', which is case-sensitive",
  endswith: "'endswiths', which is case-sensitive",
}

/**
 * Converts the filters of a refine list; a record must match all of them, and one of each `or`. The field `q` is the search text.
 *
 * A filter with the value undefined is ignored, except for `null` and `nnull`, which have no value. For a text these mean "is empty" and
 * "is not empty", as the grid of `@refinedev/mui` calls them; a text without characters is empty, too.
 *
 * @param fields converts the value of each filter, and knows texts
 * @throws {TypeError} for a filter that the API does not support, such as `and` within `or`
 */
export function listFilter(filters: readonly CrudFilter[] = [], fields: FilteredFields = UNKNOWN_FIELDS): ConvertedFilters {
  const parts = filters.flatMap(conjuncts)
  const all = parts.filter(isPlain).filter(isSet)
  const searches = all.filter(({ field }) => field === 'q')
  if (searches.length > 1) throw new TypeError("There is more than one filter 'q'; put all words into one")
  const other = searches.find(({ operator }) => operator !== 'eq' && operator !== 'contains')
  if (other !== undefined) throw new TypeError(`The filter 'q' has the operator '${other.operator}'; use 'contains'`)
  return {
    q: searchedText(searches[0]?.value),
    filters: all.filter((each) => each.field !== 'q' && !isEmptyText(each, fields)).flatMap((each) => texts(each, fields)),
    any: parts.flatMap((part) => {
      if (!isPlain(part)) return group(part, fields)
      return isEmptyText(part, fields) ? [emptyTextFilters(filterPath(part))] : []
    }),
  }
}

const filterPath = ({ field }: LogicalFilter): string => field.replaceAll('.', '__')

/** True for "is empty" of a text, which two filters of the API stand for. */
const isEmptyText = (filter: LogicalFilter, fields: FilteredFields): boolean =>
  filter.operator === 'null' && fields.isText(filterPath(filter))

const isPlain = (filter: CrudFilter): filter is LogicalFilter => 'field' in filter

/** A filter without a value is ignored. */
const isSet = ({ operator, value }: LogicalFilter): boolean => value !== undefined || isOfNull(operator)

/** One list of filters for `or`; none if all of them are ignored. */
function group({ value }: ConditionalFilter, fields: FilteredFields): string[][] {
  const filters = value.flatMap(disjuncts).filter(isSet)
  const texted = filters.flatMap((filter) => {
    if (filter.field !== 'q' && isEmptyText(filter, fields)) return emptyTextFilters(filterPath(filter))
    const [text, ...more] = filter.field === 'q' ? [] : texts(filter, fields)
    if (text === undefined || more.length > 0)
      throw new TypeError(`The API does not support the operator '${filter.operator}' of '${filter.field}' within 'or'`)
    return text
  })
  return texted.length === 0 ? [] : [texted]
}

const isOfNull = (operator: Operator): boolean => operator === 'null' || operator === 'nnull'

/** Flattens `and`. */
function conjuncts(filter: CrudFilter): CrudFilter[] {
  if (filter.operator === 'and') return filter.value.flatMap(conjuncts)
  if (filter.operator === 'or' || isPlain(filter)) return [filter]
  throw new TypeError(`A filter with the operator '${filter.operator}' names no field`)
}

/** Flattens `or`. @throws {TypeError} for `and` */
function disjuncts(filter: CrudFilter): LogicalFilter[] {
  if (filter.operator === 'or') return filter.value.flatMap(disjuncts)
  if (isPlain(filter)) return [filter]
  throw new TypeError("The API does not support 'and' within 'or'; write an 'or' for each combination")
}

function texts(filter: LogicalFilter, fields: FilteredFields): string[] {
  const { field, operator } = filter
  const name = filterPath(filter)
  const value = fields.value(name, filter.value)
  switch (operator) {
    case 'null':
      return [filterParameter(`${name}__isnull`, true)]
    case 'nnull':
      return [fields.isText(name) ? filledTextFilter(name) : filterParameter(`${name}__isnull`, false)]
    case 'between': {
      const [from, to] = listOf(field, operator, value, 2)
      return [filterParameter(`${name}__gte`, from), filterParameter(`${name}__lte`, to)]
    }
    case 'nin':
      return listOf(field, operator, value).map((each) => filterParameter(`${name}__ne`, each))
    case 'ina':
      return listOf(field, operator, value).map((each) => filterParameter(name, each))
    case 'in':
      return [filterParameter(`${name}__in`, listOf(field, operator, value))]
  }
  const suffix = SUFFIXES[operator]
  if (suffix !== undefined) return [filterParameter(name + suffix, value)]
  const alternative = ALTERNATIVES[operator]
  const hint = alternative === undefined ? '' : `; use ${alternative}`
  throw new TypeError(`The API does not support the operator '${operator}' of '${field}'${hint}`)
}

/** Checks that the value of an operator is a list. @throws {TypeError} */
function listOf(field: string, operator: Operator, value: unknown, count?: number): unknown[] {
  if (Array.isArray(value) && (count === undefined || value.length === count)) return value
  throw new TypeError(`The operator '${operator}' of '${field}' takes a list${count === undefined ? '' : ` of ${count} values`}`)
}

/** Converts sorters to the sort keys of the client: `title`, or `-title` for descending. */
const sortKeys = (sorters: readonly CrudSort[] = []): string[] =>
  sorters.map(({ field, order }) => (order === 'desc' ? `-${field}` : field))

/** An API error in the shape that refine expects. The original error is the `cause`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  /** The HTTP status, or 0 without a response; `authProvider` logs the user out on 401. */
  readonly statusCode: number
  /** Messages by field, which refine shows at the fields of a form. */
  readonly errors?: { [field: string]: string[] }
  // Refine's own type of errors has this index signature.
  readonly [member: string]: unknown

  constructor(message: string, statusCode: number, fieldErrors: FieldErrors = {}, cause?: unknown) {
    super(message, { cause })
    this.statusCode = statusCode
    const messages = Object.entries(fieldErrors).map(([field, texts]): [string, string[]] => [field, [...texts]])
    if (messages.length > 0) this.errors = Object.fromEntries(messages)
  }
}

/** Runs work and converts an `AdminError` to an `HttpError`. A `TypeError` for an unsupported request becomes a 400. */
export async function forRefine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TypeError) throw new HttpError(error.message, 400, {}, error)
    if (!(error instanceof AdminError)) throw error
    throw new HttpError(error.message, error.status ?? 0, error.type === 'validation' ? error.fieldErrors : {}, error)
  }
}
