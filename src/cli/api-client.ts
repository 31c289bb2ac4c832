import { resolve } from 'node:path'
import type { App } from '../app.ts'
import { SYSTEM } from '../auth/permissions.ts'
import { CHALLENGE_HEADER, PROOF_HEADER, type ServerProof } from '../auth/server-proof.ts'
import { AppError, ERRORS, type ErrorCode } from '../errors.ts'
import { apiRoots } from '../http/paths.ts'
import { createServer } from '../http/server.ts'
import { loadProject } from '../service/project.ts'
import { firstSuperuser } from '../service/users.ts'
import { apiOf, lockPath } from '../store/lock.ts'
import { systemRandom } from '../util/ids.ts'
import type { Io } from './io.ts'
import { type ProjectOptions, sourceOf, withApp } from './project-options.ts'

/** How long whoever listens may take to show who it is. */
const PROOF_TIMEOUT_MS = 10_000

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The API of a project, whoever holds its data. */
export interface ApiClient {
  /** The application, when this process holds the data; undefined when a server does. */
  readonly app: App | undefined
  /**
   * @param path below the root of the API: `/webhooks/3`
   * @param body sent as JSON, unless it is an `Upload`
   * @returns the body
   * @throws {AppError} with what the API says is wrong
   */
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each command knows what it asked for
  request(method: Method, path: string, body?: unknown): Promise<any>
}

/** A file to be sent as it is. */
export class Upload {
  readonly type: string
  readonly content: Buffer

  constructor(type: string, content: Buffer) {
    this.type = type
    this.content = content
  }
}

/** A body and its type, as they are sent. */
function payloadOf(body: unknown): { type: string; payload: Buffer | string } | undefined {
  if (body instanceof Upload) return { type: body.type, payload: body.content }
  return body === undefined ? undefined : { type: 'application/json', payload: JSON.stringify(body) }
}

/** Whether a server holds the data of a project, so that what is to be done with it is the server's to do. */
export async function isServed(io: Io, options: ProjectOptions): Promise<boolean> {
  const { folder, settings } = await loadProject(sourceOf(io, options, {}))
  return (await apiOf(lockPath(resolve(folder, settings.data)))) !== undefined
}

/**
 * Does something by the API of a project: over HTTP when a server holds its data, and otherwise in this process, which holds it for as
 * long as that takes. So a command is written once, and judged as every client is.
 *
 * @throws {AppError} DATA_IN_USE when another process holds the data and does not serve it
 */
export async function withApi<T>(io: Io, options: ProjectOptions, work: (client: ApiClient) => Promise<T>): Promise<T> {
  const { folder, settings } = await loadProject(sourceOf(io, options, {}))
  const api = await apiOf(lockPath(resolve(folder, settings.data)))
  if (api !== undefined) return work({ app: undefined, request: await overHttp(io, options, api) })
  return withApp(io, options, 'write', async (app) => {
    const server = await createServer(app)
    const root = apiRoots(app.settings).api
    const request: ApiClient['request'] = async (method, path, body) => {
      const sent = payloadOf(body)
      const reply = await server.inject({
        method,
        url: root + path,
        auth: { strategy: 'bearer', credentials: { app: { actor: SYSTEM } } },
        ...(sent === undefined ? {} : { payload: sent.payload, headers: { 'content-type': sent.type } }),
      })
      return read(reply.statusCode, reply.payload)
    }
    return work({ app, request })
  })
}

/** Over HTTP, as the first superuser, by tokens that this project's secret signs. */
async function overHttp(io: Io, options: ProjectOptions, api: string): Promise<ApiClient['request']> {
  const { token, proof } = await withApp(io, options, 'read', async (app) => {
    const user = await firstSuperuser(app.store)
    if (user === undefined) {
      const remedy = 'stop the server and make one: admin users add NAME --email ADDRESS --superuser'
      throw new AppError('TASK_FAILED', `There is no superuser yet; ${remedy}`)
    }
    return { token: () => app.logins.issueAccessToken(user.id), proof: app.proof }
  })
  return async (method, path, body) => {
    const sent = payloadOf(body)
    await expectProof(api, proof)
    const response = await fetch(api + path, {
      method,
      redirect: 'error',
      // Commands may run for longer than a token is good.
      headers: { authorization: `Bearer ${token()}`, ...(sent === undefined ? {} : { 'content-type': sent.type }) },
      ...(sent === undefined ? {} : { body: sent.payload }),
    }).catch((cause: Error) => {
      throw new AppError('TASK_FAILED', `The server at ${api} cannot be reached: ${cause.message}`, { cause })
    })
    if (response.status === 401) {
      throw new AppError(
        'TASK_FAILED',
        `The server at ${api} does not take a token of the first superuser; was the account disabled just now?`,
      )
    }
    return read(response.status, await response.text(), response.headers.get('retry-after'))
  }
}

/**
 * Makes sure that whoever listens at an address is this project's server: it may have stopped just now, and somebody else have taken
 * its port. Done before each token that is sent, since commands may run for long.
 *
 * @throws {AppError} TASK_FAILED
 */
async function expectProof(api: string, proof: ServerProof): Promise<void> {
  const { port } = new URL(api)
  const portNumber = Number(port || 80)
  const challenge = proof.challenge(portNumber, systemRandom)
  const answer = await fetch(api.replace(/\/api\/[^/]+$/, '/healthz'), {
    headers: { [CHALLENGE_HEADER]: challenge },
    redirect: 'manual',
    signal: AbortSignal.timeout(PROOF_TIMEOUT_MS),
  }).catch((cause: Error) => {
    throw new AppError('TASK_FAILED', `The server at ${api} cannot be reached: ${cause.message}`, { cause })
  })
  await answer.body?.cancel()
  if (!proof.isAnswer(answer.headers.get(PROOF_HEADER) ?? '', challenge, portNumber)) {
    const remedy = 'or it uses another secret: is ADMIN_SECRET_KEY the same here? No token was sent'
    throw new AppError('TASK_FAILED', `Whoever listens at ${api} is not this project's server, ${remedy}`)
  }
}

/** The body of an answer. @throws {AppError} with what it says is wrong */
function read(status: number, text: string, retryAfter?: string | null): unknown {
  const body = JSON.parse(text)
  if (status < 400) return body
  const details = body.detail?.error ?? body.details ?? body.error
  throw new AppError(codeOf(status, body.error), details, retryAfter ? { retryAfter: Number(retryAfter) } : {})
}

/** The error that an answer tells of. */
function codeOf(status: number, message: unknown): ErrorCode {
  const found = Object.entries(ERRORS).find(([, entry]) => entry.status === status && entry.message === message)
  return (found?.[0] as ErrorCode | undefined) ?? 'TASK_FAILED'
}
