import type { Client } from './client.ts'

/** The members of a record, as received or sent. */
export type Values = Readonly<Record<string, unknown>>

/** The members of a model's records that need special treatment. */
interface ModelShape {
  /** Members that only the server sets: the id, timestamps, and records nested under a foreign key. */
  readonly readOnly: ReadonlySet<string>
  /** Many-to-many members: lists of records in responses, lists of ids in requests. */
  readonly lists: ReadonlySet<string>
}

const UNKNOWN: ModelShape = { readOnly: new Set(), lists: new Set() }

/** The part of the OpenAPI document that is used. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly put?: { readonly requestBody?: Content } }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
interface Content {
  readonly content: { readonly 'application/json'?: { readonly schema: Schema } }
}
interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/**
 * Converts records between responses and the forms of front ends: many-to-many members as ids, and no read-only members in requests.
 *
 * The shapes of the models come from the OpenAPI document, which is fetched once, at first use.
 */
export class ModelShapes {
  readonly #client: Pick<Client, 'request'>
  #description: Promise<Description> | undefined
  readonly #known = new Map<string, ModelShape>()

  constructor(client: Pick<Client, 'request'>) {
    this.#client = client
  }

  /** Converts records of a response for editing: many-to-many members become lists of ids. */
  async edited(key: string, records: readonly Values[]): Promise<Values[]> {
    const { lists } = await this.#shape(key)
    return records.map((record) => withIds(record, lists))
  }

  /** Returns the writable members of `data`. Unknown members are kept, so that the server reports them. */
  async settable(key: string, data: Values): Promise<Values> {
    const { readOnly, lists } = await this.#shape(key)
    const members = Object.entries(withIds(data, lists)).filter(([name, value]) => !readOnly.has(name) && value !== undefined)
    return Object.fromEntries(members)
  }

  /** Returns the writable members of `data` that differ from `previous`. Emptied members become null. */
  async changed(key: string, data: Values, previous: Values): Promise<Values> {
    const { readOnly, lists } = await this.#shape(key)
    const [now, before] = [withIds(data, lists), withIds(previous, lists)]
    const members = Object.entries(now).filter(([name, value]) => !readOnly.has(name) && !isSame(value, before[name]))
    return Object.fromEntries(members.map(([name, value]) => [name, value ?? null]))
  }

  async #shape(key: string): Promise<ModelShape> {
    this.#description ??= this.#describe()
    const shape = this.#known.get(key) ?? shapeIn(await this.#description, key)
    this.#known.set(key, shape)
    return shape
  }

  /** Fetches the OpenAPI document. Concurrent callers share the request, so no caller can abort it. */
  async #describe(): Promise<Description> {
    try {
      return (await this.#client.request('/openapi.json')) as Description
    } catch (error) {
      this.#description = undefined
      throw error
    }
  }
}

/** Finds the shape of a model. An unknown model has an empty shape; the server rejects requests for it. */
function shapeIn({ paths, components: { schemas } }: Description, key: string): ModelShape {
  const [, item] = Object.entries(paths).find(([path]) => path.endsWith(`/models/${key}/{record_id}`)) ?? []
  const body = item?.put?.requestBody?.content['application/json']?.schema
  // The first alternative is the request without a form: `{data: <model>.update}`.
  const data = (body?.anyOf?.[0] ?? body)?.properties?.data?.$ref
  const [name = ''] = data?.split('/').at(-1)?.split('.') ?? []
  const record = schemas[name]?.properties
  if (record === undefined) return UNKNOWN
  const settable = { ...schemas[`${name}.create`]?.properties, ...schemas[`${name}.update`]?.properties }
  const members = Object.entries(record)
  return {
    readOnly: new Set(members.map(([member]) => member).filter((member) => !(member in settable))),
    lists: new Set(members.filter(([, { items }]) => items?.$ref !== undefined).map(([member]) => member)),
  }
}

function withIds(record: Values, lists: ReadonlySet<string>): Values {
  const members = Object.entries(record).map(([name, value]) => [name, lists.has(name) ? idsOf(value) : value])
  return Object.fromEntries(members)
}

const idsOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => (item as { id?: unknown })?.id ?? item) : value

/** Compares two values; undefined equals null, as in the API. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
