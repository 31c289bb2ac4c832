import { openAsBlob } from 'node:fs'
import { SHELL } from '../auth/permissions.ts'
import { AdminError } from '../client/admin-error.ts'
import { systemWait } from '../client/transport.ts'
import { AppError } from '../errors.ts'
import { uploadHere } from '../files/own-uploads.ts'
import type { StoredFile } from '../model/files.ts'
import { isObject } from '../util/json.ts'
import { generatedTitle } from '../views/generate.ts'
import type { ApiClient } from './api-client.ts'
import type { Io } from './io.ts'
import { bodyOf, UNCOMPRESSED } from './server-fetch.ts'

/** A file field of a model, as commands need to know it. */
export interface DescribedFileField {
  readonly label: string
  readonly multiple: boolean
}

/** The file fields of a model by name, as the token sees them; none for an unknown model. */
export async function describedFileFields(
  { app, client }: ApiClient,
  model: string,
): Promise<ReadonlyMap<string, DescribedFileField>> {
  if (app !== undefined) {
    const fields = app.project.registry.public.find(({ key }) => key === model)?.fileFields ?? []
    return new Map(fields.map(({ name, label, type }) => [name, { label: label ?? generatedTitle(name), multiple: type.list }]))
  }
  const { components } = (await client.request('/openapi.json')) as { components: { schemas: Record<string, unknown> } }
  const [, schema] = Object.entries(components.schemas).find(
    ([name, each]) => name.toLowerCase() === model && isObject(each) && 'x-display-field' in each,
  ) ?? ['', undefined]
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const found = new Map<string, DescribedFileField>()
  for (const [name, each] of Object.entries(properties)) {
    if (!/^\w+$/.test(name) || !isObject(each)) continue
    const multiple = each.type === 'array'
    const value = multiple ? each.items : each
    if (isFileSchema(value, components.schemas)) {
      found.set(name, { label: typeof each.title === 'string' ? each.title : generatedTitle(name), multiple })
    }
  }
  return found
}

/** True for the schema of a stored file, which may be null. */
function isFileSchema(schema: unknown, schemas: Readonly<Record<string, unknown>>): boolean {
  if (!isObject(schema)) return false
  const { properties, $ref: reference, anyOf, oneOf, allOf } = schema
  if (isObject(properties)) return 'sha256' in properties && 'uploaded_at' in properties
  if (typeof reference === 'string') return isFileSchema(schemas[reference.split('/').at(-1) ?? ''], {})
  return [anyOf, oneOf, allOf].flat().some((each) => isFileSchema(each, schemas))
}

/** Where a file of a record is. */
interface FilePlace {
  readonly model: string
  readonly record: number
  readonly field: string
}

/**
 * Opens the bytes of a file of a record.
 *
 * @throws {AppError} TASK_FAILED if they are missing; the errors of the API
 */
export async function openStoredFile(
  { app, client }: ApiClient,
  { model, record, field }: FilePlace,
  { id, name, sha256 }: StoredFile,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (app !== undefined) {
    const content = await app.blobs.open(sha256)
    if (content !== undefined) return content
    throw new AppError(
      'TASK_FAILED',
      `The bytes of '${name}' (${model} ${record}, ${field}) are missing where the server keeps them; restore them from a backup`,
    )
  }
  const path = `/files/${[model, record, field, id].map(encodeURIComponent).join('/')}`
  const response = await client.fetch(path, { query: [['download', true]], headers: UNCOMPRESSED, ...(signal && { signal }) })
  return bodyOf(client.apiUrl, response)
}

/** A file on the disk of the command. */
interface LocalFile {
  readonly path: string
  /** Name of the file in the record. */
  readonly name: string
  /** Opens its bytes. */
  open(): AsyncIterable<Uint8Array>
}

/** Maximum number of times that an upload is repeated when the server asks to wait. */
const MAX_REPEATS = 10

/**
 * Uploads a file for a field.
 *
 * @returns the id of the upload
 * @throws {AppError} VALIDATION_FAILED at the field; the errors of the API
 */
export async function uploadLocalFile(
  { app, client }: ApiClient,
  io: Pick<Io, 'stderr'>,
  { model, field }: { readonly model: string; readonly field: string },
  { path, name, open }: LocalFile,
  signal?: AbortSignal,
): Promise<string> {
  if (app !== undefined) {
    const [pending] = await uploadHere(app.uploads, SHELL, model, field, { name, content: open() })
    if (pending === undefined) throw new Error('An upload was not registered')
    return pending.id
  }
  const file = await openAsBlob(path)
  const target = `/files/${encodeURIComponent(model)}/${encodeURIComponent(field)}`
  const headers = { 'Content-Type': 'application/octet-stream' }
  const query = [['name', name]] as const
  for (let repeats = 0; ; repeats++) {
    try {
      const body = await client.request(target, { method: 'POST', query, headers, file, ...(signal && { signal }) })
      return idIn(body)
    } catch (error) {
      // The client repeats no POST; one that the server has refused to read, by 429 or 503, is safe to repeat.
      const isUnread = error instanceof AdminError && (error.status === 429 || error.status === 503)
      const seconds = isUnread ? error.retryAfter : undefined
      if (seconds === undefined || repeats === MAX_REPEATS) throw error
      io.stderr.write(`The server asks to wait; trying again in ${seconds} s\n`)
      await systemWait(seconds * 1000, signal)
    }
  }
}

function idIn(body: unknown): string {
  const { data } = body as { readonly data: readonly { readonly id?: unknown }[] }
  const id = data[0]?.id
  if (typeof id !== 'string') throw new AppError('TASK_FAILED', 'The server has not taken the file, and does not say why')
  return id
}

/** Removes an upload that no record has taken. */
export async function discardUpload({ app, client }: ApiClient, id: string): Promise<void> {
  if (app !== undefined) await app.uploads.remove(SHELL, id)
  else await client.request(`/files/uploads/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
