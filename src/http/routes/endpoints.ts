import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi'
import { type Actor, ANONYMOUS } from '../../auth/permissions.ts'
import { type Endpoint, takesQuery } from '../../code/parse-endpoints.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import { describeEndpoint } from '../../openapi/endpoint-descriptions.ts'
import { jsonContent } from '../../openapi/operation.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { actorOf, parametersOf, requestIdOf, whileConnected } from '../request.ts'
import { ANY_TYPE } from '../strict-routes.ts'

/** The endpoints of the project. */
export function endpointRoutes({ roots, endpoints, responses }: RouteSource): ApiRoute[] {
  const names = new Set<string>()
  return endpoints.map((endpoint): ApiRoute => {
    const { method, path, summary = endpoint.code.name, access, isRaw } = endpoint
    const { parameters, requestBody, answer } = describeEndpoint(endpoint)
    const isPublic = access === 'public'
    return {
      ...{ method, path: roots.endpoints + path, summary, tag: 'ext', parameters },
      access: isPublic ? 'open' : access === 'superuser' ? access : 'token',
      ...(typeof access === 'object' ? { admits: admitting(access), failures: ['forbidden'] as const } : {}),
      // Code may do anything, so a permission is the only access that one codename of a key suffices for.
      keys: typeof access === 'object' && 'permission' in access ? 'scoped' : method === 'GET' ? 'read' : 'write',
      limit: limitOf(endpoint),
      ...(isRaw ? { takesFile: [ANY_TYPE] } : {}),
      operationId: operationId(endpoint, names),
      description: `Defined in ${endpoint.code.file}. ${isPublic ? 'It needs no token and reads none.' : 'It needs a token.'}`,
      ...(requestBody === undefined ? {} : { requestBody }),
      answers: {
        200: responses.success('What the endpoint returns', jsonContent(answer)),
        204: responses.success('The endpoint returns nothing', undefined),
      },
      handler: handlerOf(endpoint),
    }
  })
}

/** The limit of an endpoint: of its user, or of its address. */
function limitOf({ access, limit }: Endpoint): NonNullable<ApiRoute['limit']> {
  if (limit === 'auth') return 'login'
  if (limit === 'upload') return 'upload'
  return access === 'public' ? 'address' : 'user'
}

/** @throws {AppError} FORBIDDEN */
const admitting =
  (access: { readonly permission: string } | { readonly group: string }) =>
  ({ isSuperuser, permissions, groups, key }: Actor): void => {
    const isSuperusers = key === undefined ? isSuperuser : key.owner.isSuperuser
    if ('group' in access ? isSuperusers || groups.has(access.group) : isSuperuser || permissions.has(access.permission)) return
    throw new AppError('FORBIDDEN', 'User does not have permission to access this resource')
  }

/** `getExtOrdersIdReceipt`. Names that would be equal are numbered. */
function operationId({ method, path }: Endpoint, names: Set<string>): string {
  // That of a PUT has the word which the same operation by PATCH has another for.
  const verb = method === 'PUT' ? 'update' : method.toLowerCase()
  const words = path.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const plain = `${verb}Ext${words.join('')}`
  let name = plain
  for (let twin = 2; names.has(name); twin++) name = `${plain}${twin}`
  names.add(name)
  return name
}

const handlerOf =
  (endpoint: Endpoint): ApiRoute['handler'] =>
  ({ endpoints, log }, { random }) =>
  async (request, h) => {
    const query = parametersOf(request)
    if (takesQuery(endpoint)) for (const { name, type } of endpoint.input.fields.values()) if (!type.list) query.one(name)
    query.throwIfFaulty()
    const isPublic = endpoint.access === 'public'
    const answer = await endpoints.run(endpoint, {
      actor: isPublic ? ANONYMOUS : actorOf(request),
      requestId: requestIdOf(request, random),
      params: request.params as Record<string, string>,
      query: (name) => query.all(name),
      body: request.payload,
      headers: shownHeaders(request, isPublic),
      gone: whileConnected(request),
    })
    if (answer === undefined) return h.response().code(204)
    return typeof answer === 'string' ? jsonResponse(h, answer) : webResponse(h, answer, endpoint, log)
  }

/** Code sees no credentials that are for the server. */
function shownHeaders({ headers }: Request, isPublic: boolean): Readonly<Record<string, string | undefined>> {
  const { cookie: _, authorization, ...others } = headers as Record<string, string | undefined>
  return isPublic ? { ...others, authorization } : others
}

/** Headers that the server sets, or that would change the framing of the response or the cookies of the page. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  ...['set-cookie', 'connection', 'content-length', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** Sends a `Response`: its status, headers and stream. */
function webResponse(h: ResponseToolkit, sent: Response, { code }: Endpoint, log: Log): Lifecycle.ReturnValue {
  if (sent.status < 200) throw new Error(`${code.name} returned a Response with status ${sent.status}`)
  const body = sent.body === null ? undefined : Readable.fromWeb(sent.body as ReadableStream)
  body?.once('error', (error) => log.error(`The response of ${code.file} ${code.name} ended early`, { error }))
  const response = h.response(body).code(sent.status)
  // That of fetch names the encoding in which its body came, and has decoded it.
  const isDecoded = sent.url !== ''
  for (const [name, value] of sent.headers) {
    if (!NOT_PASSED.has(name) && !(isDecoded && name === 'content-encoding')) response.header(name, value)
  }
  return response
}
