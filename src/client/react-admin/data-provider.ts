import type { DataProvider, GetListParams } from 'ra-core'
import { type Client, type Typed, untyped } from '../client.ts'
import { inBulk, pageOf, recordsOf } from '../collections.ts'
import { ModelShapes, type Values } from '../model-shapes.ts'
import type { CallOptions, Projection } from '../types.ts'
import { listFilter } from './filters.ts'
import { forReactAdmin } from './http-error.ts'

/** What `meta` of react-admin's hooks and controllers may say. */
export interface ProviderMeta extends Projection<string, string> {
  /** The form that is filled in, in the place of that of the options. */
  readonly form_id?: string
  /** An `etag` that the record must still have. */
  readonly if_match?: string
}

export interface DataProviderOptions {
  /** The forms that records are created and changed under: `{post: {create: 'PostForm', update: 'PostForm'}}`. */
  readonly forms?: Readonly<Record<string, { readonly create?: string; readonly update?: string }>>
}

/** What the hooks say of a list when nobody says more. */
const USUAL_PAGE = { page: 1, perPage: 25 }

/**
 * A data provider of react-admin, the models being its resources. Records are as the API answers them, but that many-to-many are
 * arrays of ids, as `ReferenceArrayInput` and `ReferenceArrayField` take them. Filters are those of the API; `q` searches, which orders
 * by relevance whatever `sort` says. Errors are put at the inputs of forms.
 */
export function dataProvider<Models extends Typed<Models>>(
  client: Client<Models>,
  { forms = {} }: DataProviderOptions = {},
): DataProvider {
  const models = untyped(client)
  const shapes = new ModelShapes(models)
  const formOf = (resource: string, action: 'create' | 'update', { form_id = forms[resource]?.[action] }: ProviderMeta = {}) =>
    form_id === undefined ? {} : { form_id }
  // What a record holds is known to the caller alone, who says so by a type parameter.
  const typed = async (resource: string, records: readonly Values[]) => (await shapes.edited(resource, records)) as never[]
  const one = async (resource: string, record: Values) => ({ data: (await shapes.edited(resource, [record]))[0] as never })

  const list = async (resource: string, { pagination = USUAL_PAGE, sort, filter, meta, signal }: GetListParams) => {
    const model = models.model(resource)
    const { q, filters } = listFilter(filter)
    const options = optionsOf(signal)
    const fetchPage = (page: number, page_size: number) => {
      if (q !== undefined) return model.search(q, { filters, page, page_size }, options)
      const order = sort === undefined ? [] : [sort.order === 'DESC' ? `-${sort.field}` : sort.field]
      return model.list({ ...projectionOf(meta), filters, sort: order, page, page_size }, options)
    }
    const { data, total } = await pageOf(fetchPage, pagination.page, pagination.perPage)
    return { data: await typed(resource, data), total }
  }

  return {
    supportAbortSignal: true,

    getList: (resource, params) => forReactAdmin(() => list(resource, params)),

    getOne: (resource, { id, meta, signal }) =>
      forReactAdmin(async () => {
        const { data } = await models.model(resource).read(id, { ...projectionOf(meta), ...optionsOf(signal) })
        return one(resource, data)
      }),

    getMany: (resource, { ids, meta, signal }) =>
      forReactAdmin(async () => {
        const records = await recordsOf(models.model(resource), ids, projectionOf(meta), optionsOf(signal))
        return { data: await typed(resource, records) }
      }),

    // Nothing refers to a record that is not there, as while it is loaded; without an id the filter would let all records through.
    getManyReference: async (resource, { target, id, filter, ...params }) =>
      id === undefined || id === null
        ? { data: [], total: 0 }
        : forReactAdmin(() => list(resource, { ...params, filter: { ...filter, [target]: id } })),

    create: (resource, { data, meta }) =>
      forReactAdmin(async () => {
        const input = await shapes.settable(resource, data)
        const created = await models.model(resource).create(input, formOf(resource, 'create', meta))
        return one(resource, created.data)
      }),

    update: (resource, { id, data, previousData, meta }) =>
      forReactAdmin(async () => {
        const known: Values | undefined = previousData
        const changes = known === undefined ? shapes.settable(resource, data) : shapes.changed(resource, data, known)
        const input = await changes
        if (known !== undefined && Object.keys(input).length === 0) return one(resource, known)
        const guard = meta?.if_match === undefined ? {} : { if_match: meta.if_match as string }
        const updated = await models.model(resource).update(id, input, { ...formOf(resource, 'update', meta), ...guard })
        return one(resource, updated.data)
      }),

    updateMany: (resource, { ids, data, meta }) =>
      forReactAdmin(async () => {
        const input = await shapes.settable(resource, data)
        const updates = ids.map((id) => ({ id: Number(id), data: input }))
        await inBulk(updates, (some) => models.model(resource).bulkUpdate(some, formOf(resource, 'update', meta)))
        return { data: [...ids] }
      }),

    delete: (resource, { id, meta }) =>
      forReactAdmin(async () => {
        const guard = meta?.if_match === undefined ? {} : { if_match: meta.if_match as string }
        return one(resource, (await models.model(resource).remove(id, guard)).data)
      }),

    deleteMany: (resource, { ids }) =>
      forReactAdmin(async () => {
        await inBulk(ids.map(Number), (some) => models.model(resource).bulkDelete(some))
        return { data: [...ids] }
      }),
  }
}

const optionsOf = (signal: AbortSignal | undefined): CallOptions => (signal === undefined ? {} : { signal })

const projectionOf = ({ fields, include }: ProviderMeta = {}): Projection<string, string> => ({ fields, include })
