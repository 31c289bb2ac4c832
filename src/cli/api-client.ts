import { dataFolderOf } from '../app/open-store.ts'
import type { App, AppMode } from '../app.ts'
import { SHELL } from '../auth/permissions.ts'
import { CHALLENGE_HEADER, loadOrCreateSecret, PROOF_HEADER, ServerProof } from '../auth/secret.ts'
import { SHELL_SUBJECT, TokenIssuer } from '../auth/token.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import { jwtCodec } from '../http/jwt-codec.ts'
import { apiRoots } from '../http/paths.ts'
import { loadProject, type Project } from '../project/project.ts'
import { apiOf, lockPath } from '../store/embedded/files/lock.ts'
import { systemClock } from '../util/clock.ts'
import { systemRandom } from '../util/ids.ts'
import { type ApiRequests, errorIn, payloadOf } from './api-requests.ts'
import { overHttp, type ServerConnection, unreachable } from './http-requests.ts'
import type { Io } from './io.ts'
import { type ProjectOptions, sourceOf, withAppOf } from './project-options.ts'
import { type RemoteOptions, remoteOf } from './remote.ts'
import { ephemeralServerOf } from './runtime-file.ts'

/** Maximum time for a server to answer the proof challenge. */
const PROOF_TIMEOUT_MS = 10_000

/** Calls a project's API: over HTTP if a server holds the data folder, otherwise in this process. */
export interface ApiClient extends ApiRequests {
  /** The application, when it runs in this process; undefined when calls go over HTTP. */
  readonly app: App | undefined
}

/** Where a command works: on a server, or with the project in this process. */
type Place = { readonly connection: ServerConnection } | { readonly connection?: undefined; readonly project: Project }

/** Finds the server that the user names, or that serves the project on this machine; without a server, loads the project. */
export async function placeOfCommand(io: Io, options: RemoteOptions): Promise<Place> {
  const remote = remoteConnection(io, options)
  if (remote !== undefined) return { connection: remote }
  const project = await loadProject(sourceOf(io, options, {}))
  const server = await localServer(io, options, project)
  return server === undefined ? { project } : { connection: await localConnection(server) }
}

/**
 * Runs work against a project's API: over HTTP if a server is named or holds the data folder, otherwise in this process.
 *
 * In this process, the data folder is locked while the work runs. Either way, requests are validated as those of any client.
 *
 * @param mode `read` does not lock the data folder; for commands that change nothing
 * @throws {AppError} DATA_IN_USE when another process that is not a server holds the data folder
 */
export const withApi = <T>(
  io: Io,
  options: RemoteOptions,
  work: (client: ApiClient) => Promise<T>,
  { mode = 'write' }: { mode?: AppMode } = {},
): Promise<T> =>
  onServerOrHere(
    io,
    options,
    (api) => work({ app: undefined, ...api }),
    (project) => withAppOf(io, project, mode, async (app) => work({ app, ...inProcess(app) })),
  )

/**
 * Runs work against the API of a server if one is named or holds the data folder, otherwise other work with the project.
 *
 * @param here the work without a server
 */
export async function onServerOrHere<T>(
  io: Io,
  options: RemoteOptions,
  onServer: (api: ApiRequests) => Promise<T>,
  here: (project: Project) => Promise<T>,
): Promise<T> {
  const place = await placeOfCommand(io, options)
  return place.connection === undefined ? here(place.project) : onServer(overHttp(place.connection))
}

/**
 * Connects to the server that the user names, or to the project's server on this machine.
 *
 * @param purpose what the server is needed for: `to report changes`
 * @throws {AppError} TASK_FAILED without a server
 */
export async function expectServer(io: Io, options: RemoteOptions, purpose: string): Promise<ServerConnection> {
  const place = await placeOfCommand(io, options)
  if (place.connection !== undefined) return place.connection
  const message =
    place.project.settings.store === 'embedded'
      ? `No server is running ${purpose}; start one: admin serve`
      : `Name a server of the project with --url or ADMIN_URL ${purpose}; the servers of a database are not looked for`
  throw new AppError('TASK_FAILED', message)
}

function remoteConnection(io: Io, options: RemoteOptions): ServerConnection | undefined {
  const remote = remoteOf(io, options)
  if (remote === undefined) return undefined
  const { api, token } = remote
  const refusal = 'this token: it is wrong or expired, or its account was disabled or deleted; get another'
  return { api, token: () => token, refusal }
}

/**
 * Connects to a project's server on this machine. The tokens are signed with the project's secret and have all permissions: a
 * process that can read the secret can issue any token anyway.
 */
export async function localConnection(server: LocalServer): Promise<ServerConnection> {
  const { api, settings } = server
  const secret = await server.secret()
  const codec = jwtCodec(settings.jwt.algorithm, secret)
  const tokens = new TokenIssuer({ codec, lifetimes: settings.jwt, clock: systemClock, random: systemRandom })
  const proof = new ServerProof(secret)
  return {
    api,
    token: () => tokens.issue('access', SHELL_SUBJECT).token,
    verifyServer: () => expectProof(api, proof),
    refusal: "a token signed with this project's secret; was the secret changed just now?",
  }
}

/** Calls the API in this process, with all permissions. */
function inProcess(app: App): ApiRequests {
  // On demand, since a command that makes no request in this process takes a sixth less time without the packages of a server.
  const createServer = async () => (await import('../http/server.ts')).createServer(app)
  let server: ReturnType<typeof createServer> | undefined
  const root = apiRoots(app.settings).api
  return {
    async request(method, path, requestBody) {
      const sent = payloadOf(requestBody)
      server ??= createServer()
      const reply = await (await server).inject({
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

/** A server of a project on this machine. */
export interface LocalServer {
  /** Root URL of its API. */
  readonly api: string
  /** The present settings of the project; the server may have started with others. */
  readonly settings: Settings
  /** True for `admin serve --ephemeral`. */
  readonly isEphemeral: boolean
  /** The secret that signs its tokens. */
  secret(): Promise<string>
}

/**
 * Finds the server of a project: the one that holds its data folder, otherwise an ephemeral one. With the option `--data`, an ephemeral
 * server is not looked for. The servers of a database need not be found, since commands may use it beside them.
 */
export async function localServer(io: Io, { data }: ProjectOptions, project: Project): Promise<LocalServer | undefined> {
  const { settings } = project
  const dataFolder = dataFolderOf(project)
  const api = settings.store === 'embedded' ? await apiOf(lockPath(dataFolder)) : undefined
  if (api !== undefined) {
    const secret = async () => settings.secret_key ?? (await loadOrCreateSecret(dataFolder, systemRandom))
    return { api, settings, isEphemeral: false, secret }
  }
  const ephemeral = data === undefined ? await ephemeralServerOf(io.env, project.folder) : undefined
  return ephemeral && { api: ephemeral.api, settings, isEphemeral: true, secret: async () => ephemeral.secret }
}
