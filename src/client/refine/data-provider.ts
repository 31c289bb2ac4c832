import type { CustomParams, DataProvider, MetaQuery } from '@refinedev/core'
import { type Client, type Typed, untyped } from '../client.ts'
import { filterEntries, type QueryEntries, sortEntries } from '../models/query.ts'
import { inBulk, pageOf, recordsOf } from '../providers/collections.ts'
import { ModelShapes, type Values } from '../providers/model-shapes.ts'
import { updateSafely } from '../providers/safe-update.ts'
import type { CallOptions, Projection } from '../types/calls.ts'
import { listFilter, sortKeys } from './filters.ts'
import { forRefine } from './http-error.ts'

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
 * Records are as the API returns them, except that many-to-many members are arrays of ids. The filter `q` searches the text; its
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
        const input = await settable(resource, variables)
        const form = formOf(resource, 'create', meta)
        const created = await shapes.naming(resource, form.form_id, () => models.model(resource).create(input, form))
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
