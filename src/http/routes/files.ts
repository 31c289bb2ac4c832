import type { Readable } from 'node:stream'
import type { Lifecycle, Request } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { AppError } from '../../errors.ts'
import type { ReceivedUpload, Uploads, UploadTarget } from '../../files/uploads.ts'
import type { Registry } from '../../model/registry.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, MOMENT, object, PIXELS, ref, type Schema, TEXT } from '../../openapi/schema.ts'
import { cleanFileName } from '../../util/file-name.ts'
import type { ApiRoute, RouteSource, ServerParts } from '../api-route.ts'
import { MULTIPART, readForm } from '../multipart.ts'
import { actorOf, mediaTypeOf, modelKeyOf, parametersOf } from '../request.ts'
import { MAX_FORM_FILES, maxFormBytes, streamedBody } from '../upload-body.ts'

/** Name of the form parts that hold files. */
const PART = 'file'

const UPLOAD = object({
  ...{ id: TEXT, name: TEXT, type: { ...TEXT, description: 'The media type, found in the bytes' }, size: COUNT_SCHEMA },
  ...{ sha256: TEXT, width: PIXELS, height: PIXELS, expires_at: MOMENT },
})

/** The schemas that the routes of uploads have in common; none for a project without files. */
export const uploadSchemas = ({ withFiles }: Registry): Readonly<Record<string, Schema>> =>
  withFiles.length === 0 ? {} : { pendingUpload: UPLOAD }

/** Uploads of files for fields; no routes for a project without files. */
export function fileRoutes({ registry, roots: { files }, responses }: RouteSource): ApiRoute[] {
  if (registry.withFiles.length === 0) return []
  const path = (name: string, description: string): ParameterObject => ({
    ...{ name, in: 'path', required: true, description, schema: TEXT },
  })
  const common = { tag: 'files', access: 'token', keys: 'scoped' } as const
  const one = { parameters: [path('id', 'The id of the upload')], failures: ['notFound'] } as const
  const upload = (description: string) => responses.success(description, jsonContent(object({ data: ref('pendingUpload') })))
  return [
    {
      ...common,
      method: 'POST',
      path: `${files}/{model}/{field}`,
      limit: 'upload',
      takesUpload: true,
      operationId: 'uploadFiles',
      summary: 'Upload files for a field',
      description: `The body is the file, or a form of up to ${MAX_FORM_FILES} parts \`file\`, of which all or none are kept. A write of a record names the ids. Uploads that no record has expire.`,
      parameters: [
        path('model', 'The key of the model'),
        path('field', 'The name of a file field'),
        { name: 'name', in: 'query', description: 'Name of the file that is the body', schema: TEXT },
      ],
      requestBody: body({
        'application/octet-stream': { schema: {} },
        [MULTIPART]: { schema: object({ [PART]: { type: 'array', items: {}, minItems: 1, maxItems: MAX_FORM_FILES } }) },
      }),
      answers: {
        201: responses.success(
          'The uploads, in the order of the parts',
          jsonContent(object({ data: { type: 'array', items: ref('pendingUpload') }, total: COUNT_SCHEMA })),
        ),
      },
      failures: ['forbidden', 'notFound', 'conflict', 'tooLarge', 'full'],
      handler: receive,
    },
    {
      ...common,
      ...one,
      method: 'GET',
      path: `${files}/uploads/{id}`,
      operationId: 'getUpload',
      summary: 'Get an own upload that no record has yet',
      description: 'Once a record has it, the record has what is known of it.',
      answers: { 200: upload('The upload') },
      handler:
        ({ uploads }) =>
        async (request) => ({ data: await uploads.pending(actorOf(request), String(request.params.id)) }),
    },
    {
      ...common,
      ...one,
      method: 'DELETE',
      path: `${files}/uploads/{id}`,
      operationId: 'deleteUpload',
      summary: 'Delete an own upload that no record has yet',
      description: 'Without it, the upload expires.',
      answers: { 200: upload('The upload that was deleted') },
      handler:
        ({ uploads }) =>
        async (request) => ({ data: await uploads.remove(actorOf(request), String(request.params.id)) }),
    },
  ]
}

const receive =
  ({ uploads }: App, { connections }: ServerParts): Lifecycle.Method =>
  async (request, h) => {
    const parameters = parametersOf(request)
    const name = parameters.one('name')
    parameters.throwIfFaulty()
    const target = uploads.admit(actorOf(request), modelKeyOf(request), String(request.params.field))
    const isForm = mediaTypeOf(request.headers['content-type'] as string | undefined) === MULTIPART
    if (isForm && name !== undefined)
      throw new AppError('INVALID_REQUEST', "'name' is for a body that is the file; a part has a name of its own")
    const size = sizeOf(request)
    if (!isForm && size !== undefined) uploads.checkSize(target, size)
    const data = await uploads.withRoom(target.actor, size ?? 0, async (reservation) => {
      const received = await (isForm
        ? receiveForm(uploads, target, streamedBody(request, connections, maxFormBytes(target.maxSize)), request)
        : receiveBody(uploads, target, streamedBody(request, connections, Number.POSITIVE_INFINITY), name))
      return uploads.register(target, received, reservation)
    })
    return h.response({ data, total: data.length }).code(201)
  }

/** The size of a body that its client tells. */
function sizeOf(request: Request): number | undefined {
  const sent = request.headers['content-length'] as string | undefined
  return sent === undefined ? undefined : Number(sent)
}

async function receiveBody(uploads: Uploads, target: UploadTarget, content: Readable, name = ''): Promise<ReceivedUpload[]> {
  return [await uploads.receive(target, content, cleanFileName(name))]
}

/** Judges each file of a form, so that the client is told of all that are refused. One that is too large ends the form: no more of it is read. */
async function receiveForm(
  uploads: Uploads,
  target: UploadTarget,
  content: Readable,
  { headers }: Request,
): Promise<ReceivedUpload[]> {
  const received: ReceivedUpload[] = []
  const refused: { readonly place: number; readonly messages: readonly string[] }[] = []
  let count = 0
  try {
    const form = { contentType: String(headers['content-type']), body: content, maxParts: MAX_FORM_FILES }
    await readForm(form, async ({ name, fileName, content }) => {
      if (name !== PART || fileName === undefined)
        throw new AppError('INVALID_REQUEST', `The form must have parts '${PART}' with the files in them, and no others`)
      const place = count++
      try {
        received.push(await uploads.receive(target, content, fileName))
      } catch (error) {
        const { code = '', details = {} } = error instanceof AppError ? error : {}
        const messages = typeof details === 'string' ? undefined : details[target.field.name]
        if (messages === undefined) throw error
        if (code !== 'VALIDATION_FAILED') throw new AppError('FILE_TOO_LARGE', { [placeOf(target, place, place + 1)]: messages })
        refused.push({ place, messages })
      }
    })
    if (refused.length === 0) return received
    const faults = refused.map(({ place, messages }) => [placeOf(target, place, count), messages] as const)
    throw new AppError('VALIDATION_FAILED', Object.fromEntries(faults))
  } catch (error) {
    await uploads.discard(received)
    throw error
  }
}

/** The key of a file's messages: the field, and before it the index of the file if there are several, as for records of bulk writes. */
const placeOf = ({ field }: UploadTarget, place: number, count: number): string =>
  count === 1 ? field.name : `${place}.${field.name}`
