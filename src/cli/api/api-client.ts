import type { App, AppMode } from '../../app.ts'
import { SHELL } from '../../auth/permissions.ts'
import { loadOrCreateSecret } from '../../auth/secret.ts'
import { CHALLENGE_HEADER, PROOF_HEADER, ServerProof } from '../../auth/server-proof.ts'
import { SHELL_SUBJECT, Tokens } from '../../auth/token.ts'
import { AppError } from '../../errors.ts'
import { apiRoots } from '../../http/paths.ts'
import { jwtCodec } from '../../http/plugins/jwt-codec.ts'
import { createServer } from '../../http/server.ts'
import { loadProject } from '../../service/project/project.ts'
import { apiOf, lockPath } from '../../store/embedded/files/lock.ts'
import { systemClock } from '../../util/clock.ts'
import { systemRandom } from '../../util/ids.ts'
import { dataFolderOf, sourceOf, withApp } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'
import { type ApiRequests, failureIn, payloadOf } from './api-requests.ts'
import { type Connection, overHttp, unreachable } from './http-requests.ts'
import { type RemoteOptions, remoteOf } from './remote.ts'

/** How long whoever listens may take to show who it is. */
const PROOF_TIMEOUT_MS = 10_000

/** The API of a project, whoever holds its data. */
export interface ApiClient extends ApiRequests {
  /** The application, when this process holds the data or reads it; undefined when a server does. */
  readonly app: App | undefined
}

/** Whether a server is named or holds the data of a project, so that what is to be done with it is the server's to do. */
export async function isServed(io: Io, options: RemoteOptions): Promise<boolean> {
  if (remoteOf(io, options) !== undefined) return true
  return (await apiOf(lockPath(dataFolderOf(await loadProject(sourceOf(io, options, {})))))) !== undefined
}

/**
 * Does something by the API of a project: over HTTP when a server is named or holds its data, and otherwise in this process, which
 * holds it for as long as that takes. So a command is written once, and judged as every client is.
 *
 * @param mode `read` does not take the data, for what changes nothing
 * @throws {AppError} DATA_IN_USE when another process holds the data and does not serve it
 */
export async function withApi<T>(
  io: Io,
  options: RemoteOptions,
  work: (client: ApiClient) => Promise<T>,
  { mode = 'write' }: { mode?: AppMode } = {},
): Promise<T> {
  const connection = (await remoteConnection(io, options)) ?? (await localConnection(io, options))
  if (connection !== undefined) return work({ app: undefined, ...overHttp(connection) })
  return withApp(io, options, mode, async (app) => work({ app, ...(await inProcess(app)) }))
}

async function remoteConnection(io: Io, options: RemoteOptions): Promise<Connection | undefined> {
  const remote = remoteOf(io, options)
  if (remote === undefined) return undefined
  const { api, token } = remote
  return { api, token: () => token, refused: 'this token: it is wrong or too old, or its account is none any more; get another' }
}

/** To the server that holds a project's data, by tokens that this project's secret signs: whoever can read that may do everything. */
async function localConnection(io: Io, options: RemoteOptions): Promise<Connection | undefined> {
  const project = await loadProject(sourceOf(io, options, {}))
  const { settings } = project
  const dataFolder = dataFolderOf(project)
  const api = await apiOf(lockPath(dataFolder))
  if (api === undefined) return undefined
  const secret = settings.secret_key ?? (await loadOrCreateSecret(dataFolder, systemRandom))
  const codec = jwtCodec(settings.jwt.algorithm, secret)
  const tokens = new Tokens({ codec, lifetimes: settings.jwt, clock: systemClock, random: systemRandom })
  const proof = new ServerProof(secret)
  return {
    api,
    token: () => tokens.issue('access', SHELL_SUBJECT).token,
    prove: () => expectProof(api, proof),
    refused: "a token of this project's secret; was it changed just now?",
  }
}

/** The API in this process, by whoever may do everything. */
async function inProcess(app: App): Promise<ApiRequests> {
  const server = await createServer(app)
  const root = apiRoots(app.settings).api
  return {
    async request(method, path, body) {
      const sent = payloadOf(body)
      const reply = await server.inject({
        method,
        url: root + path,
        auth: { strategy: 'bearer', credentials: { app: { actor: SHELL } } },
        ...(sent === undefined ? {} : { payload: sent.payload, headers: { 'content-type': sent.type } }),
      })
      const answer = JSON.parse(reply.payload)
      if (reply.statusCode < 400) return answer
      throw failureIn(reply.statusCode, answer) ?? new AppError('TASK_FAILED', reply.payload)
    },
    // Not injected, which would hold the file in memory.
    async download(path) {
      const [, model, query = ''] = /^\/models\/([^/]+)\/export\?(.*)$/.exec(path) ?? []
      if (model === undefined) throw new Error(`There is no file at ${path}`)
      return (await app.exports.open(SHELL, decodeURIComponent(model), query)).text
    },
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
  }).catch((cause: unknown) => {
    throw unreachable(api, cause)
  })
  await answer.body?.cancel()
  if (!proof.isAnswer(answer.headers.get(PROOF_HEADER) ?? '', challenge, portNumber)) {
    const remedy = 'or it uses another secret: is ADMIN_SECRET_KEY the same here? No token was sent'
    throw new AppError('TASK_FAILED', `Whoever listens at ${api} is not this project's server, ${remedy}`)
  }
}
