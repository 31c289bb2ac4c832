import type { App, AppMode } from '../../app.ts'
import { SHELL } from '../../auth/permissions.ts'
import { CHALLENGE_HEADER, PROOF_HEADER, ServerProof } from '../../auth/server-proof.ts'
import { SHELL_SUBJECT, Tokens } from '../../auth/token.ts'
import { AppError } from '../../errors.ts'
import { apiRoots } from '../../http/paths.ts'
import { jwtCodec } from '../../http/plugins/jwt-codec.ts'
import { createServer } from '../../http/server.ts'
import { systemClock } from '../../util/clock.ts'
import { systemRandom } from '../../util/ids.ts'
import { type ProjectOptions, withApp } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'
import { type ApiRequests, errorIn, payloadOf } from './api-requests.ts'
import { type Connection, overHttp, unreachable } from './http-requests.ts'
import { localServer } from './local-server.ts'
import { type RemoteOptions, remoteOf } from './remote.ts'

/** Maximum time for a server to answer the proof challenge. */
const PROOF_TIMEOUT_MS = 10_000

/** Calls a project's API: over HTTP if a server holds the data folder, otherwise in this process. */
export interface ApiClient extends ApiRequests {
  /** The application, when it runs in this process; undefined when calls go over HTTP. */
  readonly app: App | undefined
}

/** True if commands must go through a server: one is named by `--url` or `ADMIN_URL`, or one holds the project's data folder. */
export async function isServed(io: Io, options: RemoteOptions): Promise<boolean> {
  if (remoteOf(io, options) !== undefined) return true
  return (await localServer(io, options)) !== undefined
}

/**
 * Runs work against a project's API: over HTTP if a server is named or holds the data folder, otherwise in this process.
 *
 * In this process, the data folder is locked while the work runs. Either way, requests are validated as those of any client.
 *
 * @param mode `read` does not lock the data folder; for commands that change nothing
 * @throws {AppError} DATA_IN_USE when another process that is not a server holds the data folder
 */
export async function withApi<T>(
  io: Io,
  options: RemoteOptions,
  work: (client: ApiClient) => Promise<T>,
  { mode = 'write' }: { mode?: AppMode } = {},
): Promise<T> {
  const connection = await serverConnection(io, options)
  if (connection !== undefined) return work({ app: undefined, ...overHttp(connection) })
  return withApp(io, options, mode, async (app) => work({ app, ...(await inProcess(app)) }))
}

/** Connects to the server that the user names, or to the project's server on this machine; undefined without a server. */
export const serverConnection = async (io: Io, options: RemoteOptions): Promise<Connection | undefined> =>
  (await remoteConnection(io, options)) ?? (await localConnection(io, options))

async function remoteConnection(io: Io, options: RemoteOptions): Promise<Connection | undefined> {
  const remote = remoteOf(io, options)
  if (remote === undefined) return undefined
  const { api, token } = remote
  const refusal = 'this token: it is wrong or expired, or its account was disabled or deleted; get another'
  return { api, token: () => token, refusal }
}

/**
 * Connects to the project's server on this machine. The tokens are signed with the project's secret and have all permissions: a
 * process that can read the secret can issue any token anyway.
 */
export async function localConnection(io: Io, options: ProjectOptions): Promise<Connection | undefined> {
  const server = await localServer(io, options)
  if (server === undefined) return undefined
  const { api, settings } = server
  const secret = await server.secret()
  const codec = jwtCodec(settings.jwt.algorithm, secret)
  const tokens = new Tokens({ codec, lifetimes: settings.jwt, clock: systemClock, random: systemRandom })
  const proof = new ServerProof(secret)
  return {
    api,
    token: () => tokens.issue('access', SHELL_SUBJECT).token,
    verifyServer: () => expectProof(api, proof),
    refusal: "a token signed with this project's secret; was the secret changed just now?",
  }
}

/** Calls the API in this process, with all permissions. */
async function inProcess(app: App): Promise<ApiRequests> {
  const server = await createServer(app)
  const root = apiRoots(app.settings).api
  return {
    async request(method, path, requestBody) {
      const sent = payloadOf(requestBody)
      const reply = await server.inject({
        method,
        url: root + path,
        auth: { strategy: 'bearer', credentials: { app: { actor: SHELL } } },
        ...(sent === undefined ? {} : { payload: sent.payload, headers: { 'content-type': sent.type } }),
      })
      const body = JSON.parse(reply.payload)
      if (reply.statusCode < 400) return body
      throw errorIn(reply.statusCode, body) ?? new AppError('TASK_FAILED', reply.payload)
    },
    // Read from the service, since `server.inject` would hold the whole file in memory.
    async download(path) {
      const [, model, query = ''] = /^\/models\/([^/]+)\/export\?(.*)$/.exec(path) ?? []
      if (model === undefined) throw new Error(`There is no file at ${path}`)
      return (await app.exports.open(SHELL, decodeURIComponent(model), query)).text
    },
  }
}

/**
 * Verifies that the process at an address is this project's server, which may have stopped and its port been reused.
 *
 * Runs before each request that carries a token, since commands may run for long.
 *
 * @throws {AppError} TASK_FAILED when the server cannot be reached or does not prove that it has the secret
 */
async function expectProof(api: string, proof: ServerProof): Promise<void> {
  const { port } = new URL(api)
  const portNumber = Number(port || 80)
  const challenge = proof.challenge(portNumber, systemRandom)
  const response = await fetch(api.replace(/\/api\/[^/]+$/, '/healthz'), {
    headers: { [CHALLENGE_HEADER]: challenge },
    redirect: 'manual',
    signal: AbortSignal.timeout(PROOF_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw unreachable(api, cause)
  })
  await response.body?.cancel()
  if (!proof.isAnswer(response.headers.get(PROOF_HEADER) ?? '', challenge, portNumber)) {
    const remedy = 'or it uses another secret: is ADMIN_SECRET_KEY the same here? No token was sent'
    throw new AppError('TASK_FAILED', `The server at ${api} is not this project's server, ${remedy}`)
  }
}
