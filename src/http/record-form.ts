import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Request } from '@hapi/hapi'
import type { App } from '../app.ts'
import { type Actor, ANONYMOUS, forbidden } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { ReceivedUpload, Uploads, UploadTarget } from '../files/uploads.ts'
import { maxSizeOf, type SizeSettings } from '../model/file-limits.ts'
import type { Model } from '../model/model.ts'
import { isObject } from '../util/json.ts'
import { parseBody } from './body.ts'
import type { ConnectionLimits } from './listener.ts'
import { type FormPart, readForm } from './multipart.ts'
import { actorOf, modelKeyOf } from './request.ts'
import { MAX_FORM_FILES, maxFormBytes, streamedBody } from './upload-body.ts'

/** Name of the first part, which has the usual body of the request. */
const DATA = 'data'

/** The files of one field that a form has. */
interface FilesOfField {
  readonly target: UploadTarget
  readonly received: ReceivedUpload[]
}

/** The parts of a form, once it has arrived whole. */
interface RecordForm {
  body: unknown
  readonly files: Map<string, FilesOfField>
}

/**
 * Writes a record by a form whose first part `data` is the usual JSON, and whose other parts, named by file fields, are files. These become uploads
 * of the actor, which the body names then. If the record is not written, they are removed.
 *
 * @throws {AppError} those of uploads and of `write`
 */
export async function writeByForm<T>(
  request: Request,
  { app, connections, isDryRun }: { readonly app: App; readonly connections: ConnectionLimits; readonly isDryRun: boolean },
  write: (body: unknown) => Promise<T>,
): Promise<T> {
  const { uploads, project } = app
  const actor = actorOf(request)
  const model = project.registry.get(modelKeyOf(request))
  if (actor === ANONYMOUS) throw forbidden(actor)
  if (model === undefined || model.fileFields.length === 0)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json: the model has no file fields')
  const form: RecordForm = { body: undefined, files: new Map() }
  const ids: string[] = []
  const remove = async () => {
    for (const id of ids) await uploads.remove(actor, id).catch(() => {})
  }
  try {
    await uploads.withRoom(actor, Number(request.headers['content-length'] ?? 0), async (reservation) => {
      await receiveForm(request, { actor, model, uploads, connections, settings: project.settings }, form)
      for (const [name, { target, received }] of form.files) {
        const registered = (await uploads.register(target, received, reservation)).map(({ id }) => id)
        ids.push(...registered)
        setFiles(form.body, name, { ids: registered, isList: target.field.type.list })
      }
    })
    const written = await write(form.body)
    if (isDryRun) await remove()
    return written
  } catch (error) {
    await uploads.discard([...form.files.values()].flatMap(({ received }) => received))
    await remove()
    throw error
  }
}

interface FormReading {
  readonly actor: Actor
  readonly model: Model
  readonly uploads: Uploads
  readonly connections: ConnectionLimits
  readonly settings: SizeSettings
}

async function receiveForm(request: Request, reading: FormReading, form: RecordForm): Promise<void> {
  const { actor, model, uploads, connections, settings } = reading
  const { max_upload_bytes: maxBytes } = settings
  const largest = Math.max(...model.fileFields.map(({ file }) => maxSizeOf(file, settings)))
  const body = streamedBody(request, connections, maxFormBytes(largest) + maxBytes)
  const contentType = String(request.headers['content-type'])
  let isFirst = true
  await readForm({ contentType, body, maxParts: MAX_FORM_FILES + 1 }, async (part) => {
    if (isFirst !== (part.name === DATA && part.fileName === undefined)) throw notRecordForm()
    if (isFirst) {
      isFirst = false
      form.body = await parseBody(await bytesOf(part.content, maxBytes))
      return
    }
    const target = form.files.get(part.name)?.target ?? uploads.admit(actor, model.key, part.name)
    await receiveFile(uploads, target, part, form)
  })
}

async function receiveFile(uploads: Uploads, target: UploadTarget, part: FormPart, { files }: RecordForm): Promise<void> {
  if (part.fileName === undefined) throw notRecordForm()
  const of = files.get(part.name) ?? { target, received: [] }
  files.set(part.name, of)
  of.received.push(await uploads.receive(target, part.content, part.fileName))
}

async function bytesOf(content: Readable, maxBytes: number): Promise<Buffer> {
  let size = 0
  async function* limited() {
    for await (const piece of content) {
      size += (piece as Buffer).length
      if (size > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE', `The part '${DATA}' is larger than the server takes`)
      yield piece as Buffer
    }
  }
  return buffer(limited())
}

/** Adds the ids of uploads to the data of a body. What is wrong with the body itself, the write says. */
function setFiles(
  body: unknown,
  name: string,
  { ids, isList }: { readonly ids: readonly string[]; readonly isList: boolean },
): void {
  if (!isObject(body) || !isObject(body.data)) return
  const data: Record<string, unknown> = body.data
  const given = data[name]
  if (given === undefined || given === null) data[name] = isList || ids.length > 1 ? [...ids] : (ids[0] ?? null)
  else if (isList && Array.isArray(given)) data[name] = [...given, ...ids]
  else
    throw new AppError('VALIDATION_FAILED', { [name]: [`${name} is in the part 'data' and a part of its own; give one of them`] })
}

const notRecordForm = (): AppError =>
  new AppError(
    'INVALID_REQUEST',
    `The form must have a first part '${DATA}' with the record as JSON, then parts named by file fields`,
  )
