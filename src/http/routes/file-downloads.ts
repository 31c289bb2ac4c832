import type { Lifecycle, Request } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { type Actor, ANONYMOUS } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { LINK_PARAMETERS, LINK_SECONDS, MAX_SIGNED } from '../../files/links.ts'
import { body, FILE_ACCESS, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { object, type Schema, strictObject, TEXT, TEXTS } from '../../openapi/schema.ts'

import type { ApiRoute, RouteSource, ServerParts } from '../api-route.ts'
import { tokenIn } from '../authentication.ts'
import { fileResponse } from '../file-response.ts'
import { FilesCookie } from '../files-cookie.ts'
import { actorOf, parametersOf, readOptionsOf } from '../request.ts'

/** Maximum size of a request for links, in bytes. */
const MAX_BYTES = 131_072

const parameter = (place: ParameterObject['in'], name: string, description: string, schema: Schema = TEXT): ParameterObject => ({
  ...{ name, in: place, description, schema },
  ...(place === 'path' ? { required: true } : {}),
})

/** Reading of files, and signed links to them. Only for projects with files. */
export function fileDownloadRoutes({ registry, roots: { files }, responses }: RouteSource): ApiRoute[] {
  if (registry.withFiles.length === 0) return []
  const content = { '*/*': { schema: {} } }
  const tags = ['ETag', 'Content-Disposition']
  return [
    {
      method: 'GET',
      path: `${files}/{model}/{record_id}/{field}/{id}`,
      access: 'optional',
      limit: 'download',
      operationId: 'downloadFile',
      summary: 'Read a file of a record, or a thumbnail',
      description:
        'For those who may read the field of the record now; `url` of the file is this address. Without a token by the cookie of a login, by a signed link, ' +
        'or where everyone may view the model.',
      tag: 'files',
      security: FILE_ACCESS,
      parameters: [
        parameter('path', 'model', 'The key of the model'),
        parameter('path', 'record_id', 'The id of the record'),
        parameter('path', 'field', 'The name of the field'),
        parameter('path', 'id', 'The id of the file'),
        parameter('query', 'thumbnail', 'The name of a thumbnail of the field, in the place of the file'),
        parameter('query', 'download', 'A file to save, whatever it is', { type: 'boolean' }),
        parameter('query', 'expires', 'Of a signed link: its end', { type: 'integer' }),
        parameter('query', 'signer', 'Of a signed link: who signed it'),
        parameter('query', 'signature', 'Of a signed link'),
        parameter('header', 'Range', 'One range of bytes'),
        parameter('header', 'If-Range', 'The range only if the file is what this `ETag` names; otherwise the file'),
        parameter('header', 'If-None-Match', 'Only if the file is not what this `ETag` names'),
      ],
      answers: {
        200: responses.success('The file', content, tags),
        206: responses.success('The part of the file that `Range` names', content, [...tags, 'Content-Range']),
        304: responses.success('The file is what `If-None-Match` names', undefined, ['ETag']),
      },
      failures: ['unauthenticated', 'forbidden', 'notFound', 'unsatisfiable', 'full'],
      handler: download,
    },
    {
      method: 'POST',
      path: `${files}/links`,
      access: 'token',
      keys: 'scoped',
      maxBodyBytes: MAX_BYTES,
      operationId: 'signFileLinks',
      summary: 'Sign links to files, which need no token',
      description:
        'A link is good for what its signer may read when it is used. Its end is rounded up to a quarter of an hour, so that the same link is given again.',
      tag: 'files',
      requestBody: body(
        jsonContent(
          strictObject(
            {
              files: {
                type: 'array',
                items: TEXT,
                minItems: 1,
                maxItems: MAX_SIGNED,
                description: 'Addresses of files: `url`, also with `thumbnail`',
              },
              expires_in: {
                type: 'integer',
                minimum: 1,
                maximum: LINK_SECONDS.max,
                description: `In seconds; ${LINK_SECONDS.usual} when absent`,
              },
            },
            ['files'],
          ),
        ),
      ),
      answers: { 200: responses.success('The links, in the order of the addresses', jsonContent(object({ data: TEXTS }))) },
      failures: ['forbidden'],
      handler:
        ({ fileLinks }) =>
        (request) => ({ data: fileLinks.sign(actorOf(request), request.payload) }),
    },
  ]
}

function download(app: App, { limits }: ServerParts): Lifecycle.Method {
  const cookie = new FilesCookie(app.settings)
  return async (request, h) => {
    const parameters = parametersOf(request)
    const [thumbnail, isDownload] = [parameters.one('thumbnail'), parameters.flag('download')]
    for (const name of LINK_PARAMETERS) parameters.one(name)
    parameters.throwIfFaulty()
    const isSigned = LINK_PARAMETERS.some((name) => parameters.has(name))
    const actor = isSigned
      ? await app.fileLinks.signerOf({ path: request.path, thumbnail }, parameters)
      : await readerOf(request, app, cookie)
    await limits.countDownload(request, actor)
    const { model = '', record_id: record = '', field = '', id: file = '' } = request.params as Readonly<Record<string, string>>
    const found = await app.downloads.find(actor, { model, record, field, file }, thumbnail, readOptionsOf(request, app))
    return fileResponse(h, found, { isDownload, isShared: isSigned || found.isPublic, log: app.log })
  }
}

/** The actor of the token of a request, of its cookie, or of none. A cookie that is not valid any more is as none. */
async function readerOf(request: Request, { logins }: App, cookie: FilesCookie): Promise<Actor> {
  const { authorization } = request.headers
  if (authorization !== undefined) return logins.actorOfToken(tokenIn(String(authorization)))
  const token = cookie.tokenOf(request)
  if (token === undefined) return ANONYMOUS
  return logins.fileReaderOf(token).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'UNAUTHENTICATED') return ANONYMOUS
    throw error
  })
}
