import { AdminError } from './admin-error.ts'
import type { Client, Me } from './client.ts'
import { withIds } from './field-uploads.ts'
import { type Id, MAX_BULK_ITEMS, MAX_PAGE_SIZE, type ModelClient } from './model-client.ts'
import type { ModelShapes, Values } from './model-shapes.ts'
import type { AnyModel, CallOptions, Page, Projection } from './types-calls.ts'

type AnyRecord = AnyModel['record']

/** Some records of a list, and the total number of records in it. */
interface Slice {
  readonly data: AnyRecord[]
  readonly total: number
}

/** Fetches a page of any size, from as many pages of the server (at most 100 records each) as needed. */
export async function pageOf(
  fetchPage: (page: number, page_size: number) => Promise<Page<AnyRecord>>,
  page: number,
  size: number,
): Promise<Slice> {
  if (size <= MAX_PAGE_SIZE) return fetchPage(page, size)
  const start = (page - 1) * size
  const first = Math.floor(start / MAX_PAGE_SIZE)
  const data: AnyRecord[] = []
  for (let number = first; ; number += 1) {
    const next = await fetchPage(number + 1, MAX_PAGE_SIZE)
    data.push(...next.data)
    const skipped = start - first * MAX_PAGE_SIZE
    if (!next.has_next || data.length >= skipped + size) return { data: data.slice(skipped, skipped + size), total: next.total }
  }
}

/** Fetches records by id, 100 per request, in the order of the ids. Ids without a record are skipped. */
export async function recordsOf(
  model: ModelClient<AnyModel>,
  ids: readonly Id[],
  projection: Projection<string, string>,
  options: CallOptions,
): Promise<AnyRecord[]> {
  const found = new Map<string, AnyRecord>()
  for (const some of chunks([...new Set(ids)], MAX_PAGE_SIZE)) {
    const page = await model.list({ ...projection, filters: { id__in: some }, page_size: MAX_PAGE_SIZE }, options)
    for (const record of page.data) found.set(String(record.id), record)
  }
  return ids.flatMap((id) => found.get(String(id)) ?? [])
}

/** Runs bulk operations on up to 1,000 items each, one after the other. Each operation is all or none; all of them together are not. */
export async function inBulk<T, R>(items: readonly T[], work: (some: readonly T[]) => Promise<{ data: R[] }>): Promise<R[]> {
  const done: R[] = []
  for (const some of chunks(items, MAX_BULK_ITEMS)) done.push(...(await work(some)).data)
  return done
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

/** Uploads the files that inputs of front ends have put into the values of a record, and returns the values with ids in their place. */
export const uploadedIn = (model: ModelClient<AnyModel>, data: Values): Promise<Values> =>
  withIds(
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? value.map(bytesIn) : bytesIn(value)]),
    ),
    (field, files) => model.upload(field, files),
  )

/** The bytes that the value of an input wraps: `rawFile` in react-admin, `originFileObj` in Ant Design. Other values stay as they are. */
function bytesIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { rawFile, originFileObj } = value as { rawFile?: unknown; originFileObj?: unknown }
  return [rawFile, originFileObj].find((each) => each instanceof Blob) ?? value
}

/** An update of a record that a user has edited. */
interface Edit {
  readonly resource: string
  readonly id: Id
  /** The record as edited. */
  readonly data: Values
  /** The record as it was when the user began; undefined if unknown. */
  readonly previous: Values | undefined
  readonly form_id?: string
  /** The version that the record must have; its fields are then not compared. */
  readonly if_match: string | undefined
}

/** Attempts while other clients change other fields of the record. */
const MAX_ATTEMPTS = 5

/**
 * Sends the fields that the user has changed, unless another client has changed one of them meanwhile. Without permission to read the
 * record, the fields are sent unconditionally.
 *
 * @returns the record as stored
 * @throws {AdminError} `precondition` naming the fields that another client has changed, too
 */
export function updateSafely(client: Client, shapes: ModelShapes, edit: Edit): Promise<Values> {
  return shapes.naming(edit.resource, edit.form_id, async () => {
    const data = await uploadedIn(client.model(edit.resource), edit.data)
    return updateUnlessChanged(client, shapes, { ...edit, data })
  })
}

async function updateUnlessChanged(client: Client, shapes: ModelShapes, edit: Edit): Promise<Values> {
  const { resource, id, data, previous, form_id, if_match } = edit
  const model = client.model(resource)
  const options = form_id === undefined ? {} : { form_id }
  if (previous !== undefined) {
    const changes = await shapes.changed(resource, data, previous)
    if (Object.keys(changes).length === 0) return previous
    if (if_match !== undefined) return (await model.update(id, changes, { ...options, if_match })).data
  }
  for (let attempt = 1; ; attempt++) {
    const stored = await model.read(id).catch(readingForbidden)
    const before = previous ?? stored?.data
    const changes = before === undefined ? await shapes.settable(resource, data) : await shapes.changed(resource, data, before)
    if (stored === undefined || if_match !== undefined) return (await model.update(id, changes, { ...options, if_match })).data
    if (Object.keys(changes).length === 0) return stored.data
    if (previous !== undefined) await rejectConflicts(shapes, edit, { previous, stored: stored.data, changes })
    try {
      return (await model.update(id, changes, { ...options, if_match: stored.etag })).data
    } catch (error) {
      if (!(error instanceof AdminError) || error.type !== 'precondition' || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** @throws {AdminError} `precondition` if another client has given one of the changed fields another value */
async function rejectConflicts(
  shapes: ModelShapes,
  { resource, id }: Edit,
  { previous, stored, changes }: { readonly previous: Values; readonly stored: Values; readonly changes: Values },
): Promise<void> {
  const meanwhile = await shapes.changed(resource, { ...previous, ...stored }, previous)
  const differing = await shapes.changed(resource, { ...stored, ...changes }, stored)
  const fields = Object.keys(changes).filter((name) => name in previous && name in meanwhile && name in differing)
  if (fields.length === 0) return
  const message = `${resource} ${id} has changed since it was read (${fields.join(', ')}); load it again and repeat your changes`
  throw new AdminError(message, { type: 'precondition', status: 412 })
}

function readingForbidden(error: unknown): undefined {
  if (error instanceof AdminError && error.type === 'permission') return undefined
  throw error
}

type User = AnyModel['record']

/** Caches the logged-in user: one request per login, and none without a token. */
export class Identity {
  readonly #client: Client
  #me: Promise<Me<User>> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Returns the logged-in user; undefined without a token. Concurrent callers share one request, which none of them can abort.
   *
   * @throws {AdminError}
   */
  async me(): Promise<Me<User> | undefined> {
    if (!(await this.#client.hasToken())) return undefined
    return this.#me ?? this.#request()
  }

  #request(): Promise<Me<User>> {
    const request = this.#client.me().catch((error: unknown) => {
      if (this.#me === request) this.forget()
      throw error
    })
    this.#me = request
    return request
  }

  /** Runs a login or logout. Clears the cache before and after, since a call of `me` meanwhile may return the former user. */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    this.forget()
    try {
      return await work()
    } finally {
      this.forget()
    }
  }

  /** Clears the cache, for example after a 401. */
  forget(): void {
    this.#me = undefined
  }
}

/** The display name of a user: first and last name, or the username. */
export const displayNameOf = ({ first_name, last_name, username }: User): string =>
  [first_name, last_name].filter(Boolean).join(' ') || String(username)
