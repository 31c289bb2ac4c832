import { setFlagsFromString } from 'node:v8'
import { Command, Option } from 'commander'
import type { App } from '../../app.ts'
import type { Settings, SettingsInput } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { LiveServer } from '../../http/live-server.ts'
import { apiRoots } from '../../http/paths.ts'
import { ProcessFaults } from '../../http/process-faults.ts'
import { createLog } from '../../log/create-log.ts'
import type { Log } from '../../log/log.ts'
import { lockPath, publishApi } from '../../store/embedded/files/lock.ts'
import { ownFile } from '../../util/files.ts'
import { ensureSuperuser, introduce, pageAddress, reachable } from '../introduction.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { type ProjectOptions, sourceOf, withApp, withProjectOptions } from '../project-options.ts'
import { type ProjectReloader, watchProject } from '../reload.ts'
import { publishEphemeral, withdrawEphemeral } from '../runtime-file.ts'

/** Where `npm run build` writes the admin page. */
const UI_FOLDER = ownFile('dist/ui')

interface ServeOptions extends ProjectOptions {
  readonly host?: string
  readonly port?: number
  readonly cors?: string[]
  readonly showToken?: boolean
  readonly ephemeral?: boolean
  readonly watch?: boolean
  readonly open?: boolean
  readonly logFormat?: 'json' | 'text'
  /** False with `--no-rate-limit`. */
  readonly rateLimit: boolean
}

/** `admin serve`: serves a project over HTTP until SIGINT, SIGTERM or SIGHUP. */
export function serveCommand(io: Io): Command {
  return withProjectOptions(new Command('serve').description('serve a project over HTTP'))
    .option('--host <host>', 'address to listen on (default: the setting `host`, 127.0.0.1)')
    .option(
      '--port <number>',
      'port to listen on, 0 for a free one (default: the setting `port`, 8000)',
      wholeNumber('A port', 0, 65_535),
    )
    .option('--cors <origin...>', 'allowed origins for browsers (CORS), such as http://localhost:5173')
    .option('--no-rate-limit', 'turn off rate limits')
    .addOption(
      new Option('--ephemeral', 'start with the seed records, keep all changes in memory and write no files').conflicts('data'),
    )
    .option('--watch', 'reload models, views and settings when project files change; keeps connections and data')
    .option('--open', 'open the admin page in the default browser')
    .option('--show-token', 'print an access token of the first superuser and a curl command that uses it')
    .addOption(
      new Option('--log-format <format>', 'format of the log on stderr (default: text on a terminal, otherwise json)').choices([
        'json',
        'text',
      ]),
    )
    .addHelpText('after', '\nExample:\n  $ admin serve --project shop --port 0 --watch\n')
    .action(async (options: ServeOptions, command: Command) => {
      const debug = command.optsWithGlobals().debug === true
      const flags = { ...flagsOf(options), ...logFlags(options, debug) }
      const log = (settings: Settings['log']) => serverLog(settings, options, io)
      const mode = options.ephemeral === true ? 'ephemeral' : 'write'
      // Created before the project is loaded, so that no change is missed in between.
      const reloader = options.watch === true ? await watchProject(sourceOf(io, options, flags)) : undefined
      try {
        const givenKey = options.ephemeral === true ? givenKeyIn(io) : undefined
        await withApp(io, options, mode, (app) => serve(app, options, reloader, io), { flags, log, givenKey })
      } finally {
        await reloader?.close()
      }
    })
}

/** What an API key of an ephemeral server may consist of: a bearer token of at least 16 characters. */
const GIVEN_KEY = /^[\w.~+/-]{16,200}=*$/

/**
 * The key that an ephemeral server accepts as that of its first superuser, if there is one.
 *
 * @throws {AppError} USAGE; the message does not contain the key
 */
function givenKeyIn({ env }: Io): string | undefined {
  const key = env.ADMIN_API_KEY?.trim() ?? ''
  if (key === '') return undefined
  if (GIVEN_KEY.test(key)) return key
  throw new AppError('USAGE', 'ADMIN_API_KEY must have 16 to 200 letters, digits and characters of -_.~+/, and may end with =')
}

function logFlags({ logFormat }: ServeOptions, debug: boolean): SettingsInput {
  return { log: { ...(logFormat === undefined ? {} : { format: logFormat }), ...(debug ? { level: 'debug' } : {}) } }
}

/**
 * Creates the log of a server: by default text on a terminal, otherwise JSON.
 *
 * @throws {AppError} USAGE for `--show-token` with a JSON log, since such logs are collected and the token would leak
 */
function serverLog(settings: Settings['log'], options: ServeOptions, io: Io): Log {
  if (options.showToken === true && settings.format === 'json') {
    throw new AppError('USAGE', '--show-token does not work with a JSON log; use --log-format text, or `admin token`')
  }
  return createLog((line) => io.stderr.write(line), { level: settings.level, format: formatOf(settings, options, io) })
}

function formatOf({ format }: Settings['log'], { showToken = false }: ServeOptions, io: Io): 'json' | 'text' {
  if (format !== 'auto') return format
  return io.stderr.isTTY === true || showToken ? 'text' : 'json'
}

function flagsOf({ host, port, cors, rateLimit }: ServeOptions): SettingsInput {
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(cors === undefined ? {} : { cors }),
    ...(rateLimit ? {} : { rate_limits: { default: 0, auth: 0, upload: 0 } }),
  }
}

async function serve(app: App, options: ServeOptions, reloader: ProjectReloader | undefined, io: Io): Promise<void> {
  if (app.settings.store !== 'embedded' && options.ephemeral !== true) limitHeapGrowth()
  // Secrets are written to stderr directly, since the log must not contain them, and never into a log that is collected.
  const isText = formatOf(app.settings.log, options, io) === 'text'
  const print = isText ? (line: string) => void io.stderr.write(`${line}\n`) : undefined
  let address = ''
  let published = ''
  const warnOf = (next: App) => (error: Error) =>
    next.log.warn(`Commands cannot find the API: its address was not stored: ${error.message}`)
  const publishAddress = async (next: App) => {
    const api = reachable(address) + apiRoots(next.settings).api
    if (api === published) return
    await writeApiAddress(io, next, api)
    published = api
  }
  let serving = app
  const faults = new ProcessFaults(() => serving.log)
  const leaveFaults = io.takeFaults(faults)
  const live = await LiveServer.create(app, {
    ui: UI_FOLDER,
    faults,
    prepare(next) {
      serving = next
      return ensureSuperuser(next, print)
    },
    async begin(next) {
      // A reload may have changed the root of the API.
      await publishAddress(next).catch(warnOf(next))
      await next.begin()
    },
  })
  const port = await live.start().catch((error: NodeJS.ErrnoException) => {
    throw new AppError('TASK_FAILED', cannotListen(app, error), { cause: error })
  })
  const { host } = app.settings
  address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  try {
    if (app.dataFolder === undefined) await publishAddress(app).catch(warnOf(app))
    else await publishAddress(app)
    await ensureSuperuser(app, print)
    const stop = io.stopRequested()
    io.stdout.write(`Listening on ${address}\n`)
    await introduce(live, { address: reachable(address), showToken: options.showToken === true }, io)
    if (options.open === true) openPage(live, address, io)
    await live.begin()
    reloader?.start(live)
    const reason = await Promise.race([stop, faults.thrown])
    if (faults.isEnding) {
      await live.drain()
      throw new AppError('TASK_FAILED', `An exception was thrown that nothing catches: ${faults.message}`)
    }
    live.app.log.info(`${reason}: finishing open requests`)
  } finally {
    await reloader?.close()
    // Removed before the port is free for other processes. If it fails, commands still detect another server by the proof challenge.
    const warn = (error: Error) => live.app.log.warn(`The server's address was not removed: ${error.message}`)
    await writeApiAddress(io, live.app, undefined).catch(warn)
    await live.stop()
    await live.app.close()
    leaveFaults()
  }
}

/**
 * Writes the address of the API where commands look it up: into the lock file of the data folder or, for an ephemeral server, into a
 * runtime file outside the project. With a database, commands use the database.
 *
 * @param api undefined when the server stops
 */
async function writeApiAddress(
  { env }: Io,
  { dataFolder, project, ephemeralSecret }: App,
  api: string | undefined,
): Promise<void> {
  if (dataFolder !== undefined) await publishApi(lockPath(dataFolder), api)
  if (ephemeralSecret === undefined) return
  if (api === undefined) await withdrawEphemeral(env, project.folder)
  else await publishEphemeral(env, project.folder, { api, secret: ephemeralSecret })
}

/** Does not wait, since some browsers run until they are closed. */
function openPage(live: LiveServer, address: string, { openBrowser }: Io): void {
  openBrowser(pageAddress(live, reachable(address))).catch(({ message }: Error) => live.app.log.warn(message))
}

function cannotListen({ settings: { host, port } }: App, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use; stop the other process, or choose another port with --port (0 picks a free one)`
  if (code === 'EACCES') return `No permission to use port ${port}; choose one above 1023 with --port`
  return `Cannot listen on ${host}:${port}: ${message}`
}

/** How much the heap may grow beyond what is reachable before it is collected, in percent. */
const GROWTH = 50

/**
 * Keeps the process small. V8 lets a small heap grow to four times of what is reachable; that of a process whose records are in a database
 * is small, so most of its memory would be garbage. Measured by `npm run bench -- postgres`: 40 % less memory at the same rates.
 */
function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`)
}
