import { dataFolderOf } from '../app/open-store.ts'
import type { App, AppMode } from '../app.ts'
import { KEY_PREFIX } from '../auth/api-key.ts'
import { SHELL } from '../auth/permissions.ts'
import { CHALLENGE_HEADER, loadOrCreateSecret, PROOF_HEADER, ServerProof } from '../auth/secret.ts'
import { SHELL_SUBJECT, TokenIssuer } from '../auth/token.ts'
import { AdminError } from '../client/admin-error.ts'
import { type Client, createClient, type RetryLimits } from '../client/client.ts'
import { systemWait } from '../client/transport.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import { connectTo } from '../http/in-process.ts'
import { jwtCodec } from '../http/jwt-codec.ts'
import { apiRoots } from '../http/paths.ts'
import { loadProject, type Project } from '../project/project.ts'
import { apiOf, lockPath } from '../store/embedded/files/lock.ts'
import { systemClock } from '../util/clock.ts'
import { systemRandom } from '../util/ids.ts'
import type { Io } from './io.ts'
import { type ProjectOptions, sourceOf, withAppOf } from './project-options.ts'
import { type RemoteOptions, remoteOf } from './remote.ts'
import { ephemeralServerOf } from './runtime-file.ts'
import { codeOf, type ServerConnection, serverFetch, unreachable } from './server-fetch.ts'

/** Maximum time for a server to answer the proof challenge. */
const PROOF_TIMEOUT_MS = 10_000

/** The client of a project's API. It calls a server if one holds the data folder, otherwise the application in this process. */
export interface ApiClient {
  readonly client: Client
  /** The application, when it runs in this process; undefined when calls go over HTTP. */
  readonly app: App | undefined
}

/** Where a command works: on a server, or with the project in this process. */
type Place = { readonly connection: ServerConnection } | { readonly connection?: undefined; readonly project: Project }

/** Finds the server that the user names, or that serves the project on this machine; without a server, loads the project. */
async function placeOfCommand(io: Io, options: RemoteOptions, adminPath?: string): Promise<Place> {
  const remote = remoteConnection(io, options, adminPath)
  if (remote !== undefined) return { connection: remote }
  const project = await loadProject(sourceOf(io, options, {}))
  const server = await localServer(io, options, project)
  return server === undefined ? { project } : { connection: await localConnection(server) }
}

/**
 * Runs work against a project's API: over HTTP if a server is named or holds the data folder, otherwise in this process.
 *
 * In this process, the data folder is locked while the work runs. Either way, requests are validated like the requests of any client.
 *
 * @param mode `read` does not lock the data folder; for commands that change nothing
 * @param adminPath the setting `admin_path` of a server that the user names, for its description of the project
 * @throws {AppError} with the error that the API responds with; DATA_IN_USE when another process that is not a server holds the data folder;
 *   TASK_FAILED for `--no-code` on a server
 */
export const withApi = <T>(
  io: Io,
  options: RemoteOptions,
  work: (api: ApiClient) => Promise<T>,
  { mode = 'write', retry, adminPath }: { mode?: AppMode; retry?: RetryLimits; adminPath?: string | undefined } = {},
): Promise<T> =>
  onServerOrHere(
    io,
    options,
    async (client) => {
      if (options.code === false)
        throw new AppError('TASK_FAILED', 'A running server calls the hooks itself; stop it for --no-code')
      return work({ client, app: undefined })
    },
    (project) =>
      withAppOf(io, project, mode, (app) => {
        const { admin_path: adminPath } = app.settings
        const client = commandClient(io, { api: apiRoots(app.settings).api, adminPath }, inProcess(app, options), retry)
        return withAppErrors(() => work({ client, app }))
      }),
    retry,
    adminPath,
  )

/**
 * Runs work against the API of a server if one is named or holds the data folder, otherwise other work with the project.
 *
 * @param here the work without a server
 * @throws {AppError} with the error that the API responds with
 */
export async function onServerOrHere<T>(
  io: Io,
  options: RemoteOptions,
  onServer: (client: Client) => Promise<T>,
  here: (project: Project) => Promise<T>,
  retry?: RetryLimits,
  adminPath?: string,
): Promise<T> {
  const place = await placeOfCommand(io, options, adminPath)
  return place.connection === undefined ? here(place.project) : onServerAt(io, place.connection, onServer, retry)
}

/**
 * Runs work against the server that the user names, or the project's server on this machine.
 *
 * @param purpose what the server is needed for: `to report changes`
 * @throws {AppError} TASK_FAILED without a server, or with the error that the API responds with
 */
export const onServer = <T>(io: Io, options: RemoteOptions, purpose: string, work: (client: Client) => Promise<T>): Promise<T> =>
  onServerOrHere(io, options, work, async ({ settings: { store } }) => {
    const message =
      store === 'embedded'
        ? `No server is running ${purpose}; start one: admin serve`
        : `Name a server of the project with --url or ADMIN_URL ${purpose}; the servers of a database are not looked for`
    throw new AppError('TASK_FAILED', message)
  })

/** Runs work against a server of a project on this machine. @throws {AppError} with the error that the API responds with */
export const onLocalServer = async <T>(io: Io, server: LocalServer, work: (client: Client) => Promise<T>): Promise<T> =>
  onServerAt(io, await localConnection(server), work)

const onServerAt = <T>(
  io: Io,
  connection: ServerConnection,
  work: (client: Client) => Promise<T>,
  retry?: RetryLimits,
): Promise<T> => withAppErrors(() => work(commandClient(io, connection, serverFetch(connection), retry)))

/** Rate limits count per minute, so a longer wait has another cause, and the command fails at once. */
const RETRY: RetryLimits = { times: 10, seconds: 60 }

/** A client that says when it waits, as the API requires by `Retry-After`. @param server its root has a host or not */
export function commandClient(
  io: Pick<Io, 'stderr'>,
  { api, adminPath: admin_path }: Pick<ServerConnection, 'api' | 'adminPath'>,
  fetch: typeof globalThis.fetch,
  retry = RETRY,
  wait = systemWait,
): Client {
  const [, url = '', api_version = ''] = /^(.*)\/api\/([^/]+)$/.exec(api) ?? []
  return createClient({
    ...{ url, api_version, fetch, retry },
    ...(admin_path === undefined ? {} : { admin_path }),
    wait(milliseconds, signal) {
      io.stderr.write(`The server asks to wait; trying again in ${milliseconds / 1000} s\n`)
      return wait(milliseconds, signal)
    },
  })
}

async function withAppErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw appErrorOf(error)
  }
}

/** Converts an error of the client; returns any other error as it is. */
export function appErrorOf(error: unknown): unknown {
  if (!(error instanceof AdminError)) return error
  const { type, status, summary, message, fieldErrors, cause } = error
  // Thrown by the client's `fetch`, which is one of this folder.
  if (type === 'network') return cause
  return new AppError(codeOf(status, summary), Object.keys(fieldErrors).length > 0 ? fieldErrors : message, { cause: error })
}

function remoteConnection(io: Io, options: RemoteOptions, adminPath?: string): ServerConnection | undefined {
  const remote = remoteOf(io, options)
  if (remote === undefined) return undefined
  const { api, token } = remote
  const what = token.startsWith(KEY_PREFIX) ? 'key: it is wrong, expired or revoked' : 'token: it is wrong or expired'
  const refusal = `this ${what}, or its account was disabled or deleted; get another`
  return { api, adminPath, token: () => token, refusal }
}

/**
 * Connects to a project's server on this machine. The tokens are signed with the project's secret and have all permissions: a
 * process that can read the secret can issue any token anyway.
 */
async function localConnection(server: LocalServer): Promise<ServerConnection> {
  const { api, settings } = server
  const secret = await server.secret()
  const codec = jwtCodec(settings.jwt.algorithm, secret)
  const tokens = new TokenIssuer({ codec, lifetimes: settings.jwt, clock: systemClock, random: systemRandom })
  const proof = new ServerProof(secret)
  return {
    api,
    adminPath: settings.admin_path,
    token: () => tokens.issue('access', SHELL_SUBJECT).token,
    verifyServer: () => expectProof(api, proof),
    refusal: "a token signed with this project's secret; was the secret changed just now?",
  }
}

/** A `fetch` for a client that calls the API in this process, with all permissions. */
const inProcess = (app: App, { code }: RemoteOptions): typeof fetch =>
  connectTo(app)({ actor: SHELL, via: 'cli', requestId: undefined, chain: [], withoutCode: code === false })

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
