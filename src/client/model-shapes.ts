import { AdminError } from './admin-error.ts'
import type { Client } from './client.ts'
import { withOffset } from './local-time.ts'

/** The members of a record, as received or sent. */
export type Values = Readonly<Record<string, unknown>>

/** The members of a model's records that need special treatment. */
interface ModelShape {
  /** Members that only the server sets: the id, timestamps, and records nested under a foreign key. */
  readonly readOnly: ReadonlySet<string>
  /** Many-to-many members: lists of records in responses, lists of ids in requests. */
  readonly lists: ReadonlySet<string>
  /** Files: values of responses, which requests name by their ids. */
  readonly files: ReadonlySet<string>
  /** True for a date-time; the path may go through relations: `published_at__gte`, `author__created_at`. */
  isDateTime(path: string): boolean
  /** True for a text, which may have no characters; the path may go through relations: `author__bio`. */
  isText(path: string): boolean
  /** The title of a settable member; under a form, that of the form. */
  title(member: string, formId: string | undefined): string
}

const UNKNOWN: ModelShape = {
  readOnly: new Set(),
  lists: new Set(),
  files: new Set(),
  isDateTime: () => false,
  isText: () => false,
  title: (member) => member,
}

/** What the conversion of filters asks about the fields of a model. */
export interface FilteredFields {
  /** Converts the value of a filter, by the filter's name: `published_at__gte`. */
  value(name: string, value: unknown): unknown
  /** True for a text, by the path to it: `author__bio`. */
  isText(path: string): boolean
}

/** Fields of which nothing is known; values of filters stay unchanged. */
export const UNKNOWN_FIELDS: FilteredFields = { value: (_, value) => value, isText: () => false }

/** The part of the OpenAPI document that is used. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly put?: { readonly requestBody?: Content | { readonly $ref: string } } }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly requestBodies?: Readonly<Record<string, Content>>
  }
}
interface Content {
  readonly content: { readonly 'application/json'?: { readonly schema: Schema } }
}
interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/**
 * Converts records between responses and the forms of front ends: many-to-many members as ids, no read-only members in requests, and
 * date-times with the offset of the browser.
 *
 * The shapes of the models come from the OpenAPI document, which is fetched once, at first use.
 */
export class ModelShapes {
  readonly #client: Pick<Client, 'request' | 'files'>
  #description: Promise<Description> | undefined
  readonly #known = new Map<string, ModelShape>()

  constructor(client: Pick<Client, 'request' | 'files'>) {
    this.#client = client
  }

  /** Converts records of a response for editing: many-to-many members become lists of ids; files get `src`, their address, and `title`, their name. */
  async edited(key: string, records: readonly Values[]): Promise<Values[]> {
    const { lists, files } = await this.#shape(key)
    const shown = (file: Values) => (isAddressed(file) ? { ...file, src: this.#client.files.url(file), title: file.name } : file)
    return records.map((record) => withFiles(withIds(record, lists), files, shown))
  }

  /** Returns the writable members of `data`. Unknown members are kept, so that the server reports them. */
  async settable(key: string, data: Values): Promise<Values> {
    const shape = await this.#shape(key)
    const members = Object.entries(forRequest(data, shape))
    return Object.fromEntries(members.filter(([name, value]) => !shape.readOnly.has(name) && value !== undefined))
  }

  /** Returns the writable members of `data` that differ from `previous`. Emptied members become null. */
  async changed(key: string, data: Values, previous: Values): Promise<Values> {
    const shape = await this.#shape(key)
    const [now, before] = [forRequest(data, shape, previous), forRequest(previous, shape)]
    const isChanged = (name: string) =>
      shape.isDateTime(name) ? !isSameMoment(now[name], before[name]) : !isSame(now[name], before[name])
    const members = Object.entries(now).filter(([name]) => !shape.readOnly.has(name) && isChanged(name))
    return Object.fromEntries(members.map(([name, value]) => [name, value ?? null]))
  }

  /** Returns what filters ask about the fields of a model. Date-times without an offset get the browser's. */
  async filteredFields(key: string): Promise<FilteredFields> {
    const shape = await this.#shape(key)
    return { value: (name, value) => (shape.isDateTime(name) ? withOffset(value) : value), isText: shape.isText }
  }

  /**
   * Runs a write. Messages of its validation errors name fields by their titles, as forms do, where the API names them by their keys.
   *
   * @param formId the form that validates the write
   * @throws {AdminError}
   */
  async naming<T>(key: string, formId: string | undefined, write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof AdminError) || error.type !== 'validation') throw error
      const shape = await this.#shape(key).catch(() => UNKNOWN)
      throw error.titled((name) => shape.title(name, formId))
    }
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
function shapeIn({ paths, components: { schemas, requestBodies } }: Description, key: string): ModelShape {
  const [, item] = Object.entries(paths).find(([path]) => path.endsWith(`/models/${key}/{record_id}`)) ?? []
  const sent = item?.put?.requestBody
  const body = (sent !== undefined && '$ref' in sent ? requestBodies?.[nameIn(sent)] : sent)?.content['application/json']?.schema
  // The first alternative is the request without a form: `{data: <model>.update}`.
  const [unformed, ...formed] = body?.anyOf ?? [body]
  const name = ownerOf(unformed)
  const record = schemas[name]?.properties
  if (record === undefined) return UNKNOWN
  const settableIn = (owner: string) => ({
    ...schemas[`${owner}.create`]?.properties,
    ...schemas[`${owner}.update`]?.properties,
  })
  const settable = settableIn(name)
  const forms = new Map(formed.map((request) => [request?.properties?.form_id?.const, settableIn(ownerOf(request))]))
  const members = Object.entries(record)
  return {
    title: (member, formId) => titleOf(member, forms.get(formId)?.[member] ?? settable[member]),
    readOnly: new Set(members.map(([member]) => member).filter((member) => !(member in settable))),
    lists: new Set(
      members.filter(([, { items }]) => items?.$ref !== undefined && nameIn(items) !== FILE).map(([member]) => member),
    ),
    files: new Set(members.filter(([, member]) => isOfFiles(member)).map(([member]) => member)),
    isDateTime: (path) => memberAt(schemas, schemas[name], path.split('__'))?.format === 'date-time',
    isText: (path) => isText(memberAt(schemas, schemas[name], path.split('__'))),
  }
}

/** The title of a settable member, as the views of the server derive it from a name without a title: `author_id` is `Author`. */
function titleOf(name: string, schema: Schema | undefined): string {
  if (schema === undefined) return name
  const words = name.replace(/(?<=.)_id$/, '').replaceAll('_', ' ')
  return schema.title ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** The model or form of a request `{data: <owner>.update}`. */
const ownerOf = (request: Schema | undefined): string => nameIn(request?.properties?.data).replace(/\.update$/, '')

const isAddressed = (file: Values): file is Values & { readonly url: string } => typeof file.url === 'string'

/** A file as requests name it, without what only the server sets. */
const namedFile = ({ id, name, alt }: Values): Values => ({ id, name, alt })

/** Converts the stored files among the values of a record. */
function withFiles(record: Values, files: ReadonlySet<string>, convert: (file: Values) => Values): Values {
  if (files.size === 0) return record
  const converted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'id' in value ? convert(value as Values) : value
  const members = Object.entries(record).map(([name, value]) => {
    if (!files.has(name)) return [name, value]
    return [name, Array.isArray(value) ? value.map(converted) : converted(value)]
  })
  return Object.fromEntries(members)
}

/** The schema of a file. */
const FILE = 'storedFile'

const isOfFiles = (member: Schema): boolean =>
  [member, member.items, ...(member.anyOf ?? [])].some((each) => nameIn(each) === FILE)

/** The name of the schema that a reference leads to; empty for another schema. */
const nameIn = (schema: Schema | undefined): string => schema?.$ref?.split('/').at(-1) ?? ''

/** The member that the path of a filter leads to through relations; an operator at its end is left out. */
function memberAt(
  schemas: Readonly<Record<string, Schema>>,
  schema: Schema | undefined,
  [first = '', ...rest]: readonly string[],
): Schema | undefined {
  const member = schema?.properties?.[first]
  const reference = [member, member?.items, ...(member?.anyOf ?? [])].find((each) => each?.$ref !== undefined)?.$ref
  return reference === undefined ? member : memberAt(schemas, schemas[nameIn({ $ref: reference })], rest)
}

/** True for strings without a format that the empty text does not have, as those of times and decimals. */
const isText = ({ type, format, pattern }: Schema = {}): boolean =>
  [type].flat().includes('string') && format === undefined && (pattern === undefined || new RegExp(pattern, 'u').test(''))

/**
 * Many-to-many members as ids, files as requests name them, and date-times with an offset.
 *
 * @param stored the record before, whose times tell which of two equal local times is meant
 */
function forRequest(record: Values, { lists, files, isDateTime }: ModelShape, stored: Values = {}): Values {
  const members = Object.entries(withFiles(withIds(record, lists), files, namedFile))
  return Object.fromEntries(members.map(([name, value]) => [name, isDateTime(name) ? withOffset(value, stored[name]) : value]))
}

function withIds(record: Values, lists: ReadonlySet<string>): Values {
  const members = Object.entries(record).map(([name, value]) => [name, lists.has(name) ? idsOf(value) : value])
  return Object.fromEntries(members)
}

const idsOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => (item as { id?: unknown })?.id ?? item) : value

/** Compares two values; undefined equals null, as in the API. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Compares two date-times, which may be written with different offsets. */
const isSameMoment = (a: unknown, b: unknown): boolean =>
  isSame(a, b) || (isMoment(a) && isMoment(b) && Number(new Date(a)) === Number(new Date(b)))

const isMoment = (value: unknown): value is string | Date => typeof value === 'string' || value instanceof Date
