import type { DataProvider, GetListParams } from 'ra-core'
import { AdminError } from './admin-error.ts'
import { type Client, type Typed, untyped } from './client.ts'
import { type FilteredFields, ModelShapes, UNKNOWN_FIELDS, type Values } from './model-shapes.ts'
import { inBulk, pageOf, recordsOf, updateSafely, uploadedIn } from './providers.ts'
import { type ConvertedFilters, type FilterObject, filterTexts, searchedText } from './query.ts'
import type { CallOptions, Projection } from './types-calls.ts'

/** Members of `meta` in react-admin's hooks and controllers. */
export interface ProviderMeta extends Projection<string, string> {
  /** The form that validates the data, instead of the one in the options. */
  readonly form_id?: string
  /** The `etag` that the record must still have. */
  readonly if_match?: string
}

/** Options of `dataProvider`. */
export interface DataProviderOptions {
  /** The forms that validate created and updated records: `{post: {create: 'PostForm', update: 'PostForm'}}`. */
  readonly forms?: Readonly<Record<string, { readonly create?: string; readonly update?: string }>>
}

/** The page of react-admin's hooks without pagination. */
const DEFAULT_PAGE = { page: 1, perPage: 25 }

/**
 * Creates a data provider for react-admin. Each model is a resource, by its key.
 *
 * Records are as the API returns them, except that many-to-many members are arrays of ids, as `ReferenceArrayInput` and
 * `ReferenceArrayField` need them, and files have `src` and `title`, as `FileInput` and `ImageInput` need them. Files that these inputs
 * got are uploaded before the record is written. Filters are those of the API. The filter `q` searches the text. Its results are ordered by relevance
 * unless `sort` differs from react-admin's default, ascending ids. Validation errors appear at the inputs of forms.
 */
export function dataProvider<Models extends Typed<Models>>(
  client: Client<Models>,
  { forms = {} }: DataProviderOptions = {},
): DataProvider {
  const models = untyped(client)
  const shapes = new ModelShapes(models)
  const formOf = (resource: string, action: 'create' | 'update', meta: ProviderMeta = {}): { readonly form_id?: string } => {
    const form_id = meta.form_id ?? forms[resource]?.[action]
    return form_id === undefined ? {} : { form_id }
  }
  // `never` is assignable to the record type, a type parameter that only the caller of the hook knows.
  const typed = async (resource: string, records: readonly Values[]) => (await shapes.edited(resource, records)) as never[]
  const one = async (resource: string, record: Values) => ({ data: (await shapes.edited(resource, [record]))[0] as never })

  const list = async (resource: string, { pagination = DEFAULT_PAGE, sort, filter, meta, signal }: GetListParams) => {
    const model = models.model(resource)
    const { q, ...filtering } = listFilter(filter, await shapes.filteredFields(resource))
    const options = optionsOf(signal)
    const fetchPage = (page: number, page_size: number) => {
      const order = sort === undefined ? [] : [sort.order === 'DESC' ? `-${sort.field}` : sort.field]
      if (q !== undefined)
        return model.search(q, { ...filtering, sort: order.filter((key) => key !== 'id'), page, page_size }, options)
      return model.list({ ...projectionOf(meta), ...filtering, sort: order, page, page_size }, options)
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

    // The id is missing while the record is loading; without it the filter would match all records.
    getManyReference: async (resource, { target, id, filter, ...params }) =>
      id === undefined || id === null
        ? { data: [], total: 0 }
        : forReactAdmin(() => list(resource, { ...params, filter: { ...filter, [target]: id } })),

    create: (resource, { data, meta }) =>
      forReactAdmin(async () => {
        const form = formOf(resource, 'create', meta)
        const created = await shapes.naming(resource, form.form_id, async () => {
          const input = await shapes.settable(resource, await uploadedIn(models.model(resource), data))
          return models.model(resource).create(input, form)
        })
        return one(resource, created.data)
      }),

    update: (resource, { id, data, previousData, meta }) =>
      forReactAdmin(async () => {
        const previous: Values | undefined = previousData
        const if_match: string | undefined = meta?.if_match
        const edit = { resource, id, data, previous, if_match, ...formOf(resource, 'update', meta) }
        return one(resource, await updateSafely(models, shapes, edit))
      }),

    updateMany: (resource, { ids, data, meta }) =>
      forReactAdmin(async () => {
        const input = await shapes.settable(resource, data)
        const updates = ids.map((id) => ({ id: Number(id), data: input }))
        const form = formOf(resource, 'update', meta)
        const update = () => inBulk(updates, (some) => models.model(resource).bulkUpdate(some, form))
        await shapes.naming(resource, form.form_id, update)
        return { data: [...ids] }
      }),

    delete: (resource, { id, meta }) =>
      forReactAdmin(async () => {
        const guard = meta?.if_match === undefined ? {} : { if_match: meta.if_match as string }
        return one(resource, (await models.model(resource).delete(id, guard)).data)
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

/**
 * Converts the filters of a react-admin list. The filter `q` is the search text; `any` is a group of filters, or a list of groups,
 * one of which must match.
 *
 * Names may go through a relation in the API's notation, `author__username`, or as an input is named, `author.username`, which
 * react-admin turns into nested objects. A list as value matches any of its items.
 *
 * @param fields converts the value of each filter
 * @throws {TypeError} for a value that the API does not support
 */
function listFilter(filter: FilterObject = {}, fields: Pick<FilteredFields, 'value'> = UNKNOWN_FIELDS): ConvertedFilters {
  const { q, any = [], ...rest } = filter
  const groups = [any].flat()
  if (!groups.every(isPlainObject)) throw new TypeError("The filter 'any' is neither an object of filters nor a list of them")
  const texts = (filters: FilterObject) =>
    filterTexts(Object.fromEntries(flat(filters).map(([name, value]) => [name, fields.value(name, value)])))
  return { q: searchedText(q), filters: texts(rest), any: groups.map(texts) }
}

function flat(filters: FilterObject, prefix = ''): [string, unknown][] {
  return Object.entries(filters).flatMap(([key, value]): [string, unknown][] => {
    const name = prefix + key.replaceAll('.', '__')
    if (isPlainObject(value)) return flat(value, `${name}__`)
    return [[Array.isArray(value) && !name.endsWith('__in') ? `${name}__in` : name, value]]
  })
}

const isPlainObject = (value: unknown): value is FilterObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** An API error in the shape that react-admin expects. The original `AdminError` is the `cause`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  /** The HTTP status, or 0 without a response; `authProvider` logs the user out on 401. */
  readonly status: number
  /**
   * `errors` has the messages that react-admin shows at the inputs of a form. Its member `root` has all of them for the notification,
   * since not every field has an input.
   */
  readonly body: { readonly errors?: Readonly<Record<string, string | { readonly serverError: string }>> }

  constructor(error: AdminError) {
    super(error.message, { cause: error })
    this.status = error.status ?? 0
    const messages = Object.entries(error.fieldErrors).map(([field, texts]) => [field, texts.join('; ')])
    const isOfForm = error.type === 'validation' && messages.length > 0
    this.body = isOfForm ? { errors: { ...Object.fromEntries(messages), root: { serverError: error.message } } } : {}
  }
}

/** Runs work and converts an `AdminError` to an `HttpError`. Other errors, such as aborts, pass unchanged. */
export async function forReactAdmin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AdminError ? new HttpError(error) : error
  }
}
