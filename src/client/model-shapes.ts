import type { Client } from './client.ts'

/** A record as it is answered or sent, by the names of its members. */
export type Values = Readonly<Record<string, unknown>>

/** What the members of a model's records are. */
interface ModelShape {
  /** Those that the server sets: the id, times, and records nested under a foreign key. */
  readonly fixed: ReadonlySet<string>
  /** Many-to-many: records in answers, ids where they are set. */
  readonly lists: ReadonlySet<string>
}

const UNKNOWN: ModelShape = { fixed: new Set(), lists: new Set() }

/** As much of the description of the API as is looked at. */
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
 * Turns records of answers into what forms of front ends edit, and back: many-to-many as ids, and nothing sent that cannot be set.
 * What cannot, only the description of the API tells for sure, which is fetched once, when it is first needed.
 */
export class ModelShapes {
  readonly #client: Pick<Client, 'request'>
  #description: Promise<Description> | undefined
  readonly #known = new Map<string, ModelShape>()

  constructor(client: Pick<Client, 'request'>) {
    this.#client = client
  }

  /** Records with their many-to-many as ids. */
  async edited(key: string, records: readonly Values[]): Promise<Values[]> {
    const { lists } = await this.#shape(key)
    return records.map((record) => withIds(record, lists))
  }

  /** What can be set of `data`. What the model does not have is left in, for the server to say so. */
  async settable(key: string, data: Values): Promise<Values> {
    const { fixed, lists } = await this.#shape(key)
    const members = Object.entries(withIds(data, lists)).filter(([name, value]) => !fixed.has(name) && value !== undefined)
    return Object.fromEntries(members)
  }

  /** What can be set of `data` and is not in `previous` already. What was emptied is null. */
  async changed(key: string, data: Values, previous: Values): Promise<Values> {
    const { fixed, lists } = await this.#shape(key)
    const [now, before] = [withIds(data, lists), withIds(previous, lists)]
    const members = Object.entries(now).filter(([name, value]) => !fixed.has(name) && !isSame(value, before[name]))
    return Object.fromEntries(members.map(([name, value]) => [name, value ?? null]))
  }

  async #shape(key: string): Promise<ModelShape> {
    this.#description ??= this.#describe()
    const shape = this.#known.get(key) ?? shapeIn(await this.#description, key)
    this.#known.set(key, shape)
    return shape
  }

  /** Shared by all who wait for it, so that none of them can abort it. */
  async #describe(): Promise<Description> {
    try {
      return (await this.#client.request('/openapi.json')) as Description
    } catch (error) {
      this.#description = undefined
      throw error
    }
  }
}

/** A model that is not there has no shape; the server says that it is not there. */
function shapeIn({ paths, components: { schemas } }: Description, key: string): ModelShape {
  const [, item] = Object.entries(paths).find(([path]) => path.endsWith(`/models/${key}/{record_id}`)) ?? []
  const body = item?.put?.requestBody?.content['application/json']?.schema
  // The first is the one without a form, `{data: <model>.update}`.
  const data = (body?.anyOf?.[0] ?? body)?.properties?.data?.$ref
  const [name = ''] = data?.split('/').at(-1)?.split('.') ?? []
  const record = schemas[name]?.properties
  if (record === undefined) return UNKNOWN
  const settable = { ...schemas[`${name}.create`]?.properties, ...schemas[`${name}.update`]?.properties }
  const members = Object.entries(record)
  return {
    fixed: new Set(members.map(([member]) => member).filter((member) => !(member in settable))),
    lists: new Set(members.filter(([, { items }]) => items?.$ref !== undefined).map(([member]) => member)),
  }
}

function withIds(record: Values, lists: ReadonlySet<string>): Values {
  const members = Object.entries(record).map(([name, value]) => [name, lists.has(name) ? idsOf(value) : value])
  return Object.fromEntries(members)
}

const idsOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => (item as { id?: unknown })?.id ?? item) : value

/** Nothing and null are the same to the API. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
