import { Command, InvalidArgumentError, Option } from 'commander'
import type { App } from '../../app.ts'
import type { Settings, SettingsInput } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { LiveServer } from '../../http/live-server.ts'
import { apiRoots } from '../../http/paths.ts'
import { createLog, type Log } from '../../log/log.ts'
import { firstSuperuser } from '../../service/accounts/users.ts'
import { announceApi, lockPath } from '../../store/embedded/files/lock.ts'
import { type ProjectOptions, sourceOf, withApp, withProjectOptions } from '../project/project-options.ts'
import { type Changes, noticeChanges } from '../project/reload.ts'
import type { Io } from '../terminal/io.ts'

interface ServeOptions extends ProjectOptions {
  readonly host?: string
  readonly port?: number
  readonly cors?: string[]
  readonly showToken?: boolean
  readonly ephemeral?: boolean
  readonly watch?: boolean
  readonly logFormat?: 'json' | 'text'
  /** `--no-rate-limit` makes it false. */
  readonly rateLimit: boolean
}

/** `admin serve`: serves a project until it is asked to stop. */
export function serveCommand(io: Io): Command {
  return withProjectOptions(new Command('serve').description('serve a project over HTTP'))
    .option('--host <host>', 'address to listen on (default: the setting `host`, 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for a free one (default: the setting `port`, 8000)', parsePort)
    .option('--cors <origin...>', 'origins of front ends that browsers may call from, such as http://localhost:5173')
    .option('--no-rate-limit', 'do not limit how often the API may be called')
    .addOption(
      new Option('--ephemeral', 'begin with the seed records, keep changes in memory and write nothing').conflicts('data'),
    )
    .option('--watch', 'reload models, views and settings when files of the project folder change; connections and data stay')
    .option('--show-token', 'print an access token of the first superuser and a curl command that uses it')
    .addOption(
      new Option('--log-format <format>', 'how the log is written to stderr (default: text on a terminal, else json)').choices([
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
      // Before anything is read, so that what is saved meanwhile is not missed.
      const changes = options.watch === true ? await noticeChanges(sourceOf(io, options, flags)) : undefined
      try {
        await withApp(io, options, mode, (app) => serve(app, options, changes, io), { flags, log })
      } finally {
        await changes?.close()
      }
    })
}

function logFlags({ logFormat }: ServeOptions, debug: boolean): SettingsInput {
  return { log: { ...(logFormat === undefined ? {} : { format: logFormat }), ...(debug ? { level: 'debug' } : {}) } }
}

/**
 * The log of a server: text where a person looks on, JSON where a program collects it.
 *
 * @throws {AppError} USAGE when a token is to be shown in a log that a program collects
 */
function serverLog({ level, format }: Settings['log'], { showToken = false }: ServeOptions, io: Io): Log {
  if (showToken && format === 'json') {
    throw new AppError('USAGE', 'A token is not shown in a log that is JSON; use --log-format text, or `admin token`')
  }
  const isForPeople = io.stderr.isTTY === true || showToken
  const chosen = format === 'auto' ? (isForPeople ? 'text' : 'json') : format
  return createLog((line) => io.stderr.write(line), { level, format: chosen })
}

function flagsOf({ host, port, cors, rateLimit }: ServeOptions): SettingsInput {
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(cors === undefined ? {} : { cors }),
    ...(rateLimit ? {} : { rate_limits: { default: 0, auth: 0, upload: 0 } }),
  }
}

async function serve(app: App, options: ServeOptions, changes: Changes | undefined, io: Io): Promise<void> {
  let address = ''
  let known = ''
  const announced = async (next: App) => {
    const api = reachable(address) + apiRoots(next.settings).api
    if (api === known) return
    await announce(next, api)
    known = api
  }
  const live = await LiveServer.create(app, {
    async begin(next) {
      // Where the API begins may have been set anew.
      const warn = (error: Error) => next.log.warn(`Commands are not told where the API is now: ${error.message}`)
      await announced(next).catch(warn)
      void next.searchIndexes.prepare()
      await next.webhooks.deliver()
    },
  })
  const port = await live.start().catch((error: NodeJS.ErrnoException) => {
    throw new AppError('TASK_FAILED', cannotListen(app, error), { cause: error })
  })
  const { host } = app.settings
  address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  try {
    await announced(app)
    const stop = io.stopRequested()
    io.stdout.write(`Listening on ${address}\n`)
    await introduce(app, options, address, io)
    await live.begin()
    changes?.reload(live)
    const reason = await stop
    live.app.log.info(`${reason}: finishing open requests`)
  } finally {
    await changes?.close()
    // Before the port is anybody's. Where it fails, whoever asks there finds out that this server is gone.
    const warn = (error: Error) => live.app.log.warn(`The lock keeps the server's address: ${error.message}`)
    await announce(live.app, undefined).catch(warn)
    await live.stop()
    await live.app.close()
  }
}

/** Tells commands where the data is served. Where nothing is written nobody is told: they work on what is in the data folder. */
async function announce({ dataFolder }: App, api: string | undefined): Promise<void> {
  if (dataFolder !== undefined) await announceApi(lockPath(dataFolder), api)
}

/** The address as this machine reaches it, for a server that listens on all. */
const reachable = (address: string): string => address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Tells a person what is being served and how to begin. */
async function introduce(app: App, options: ServeOptions, address: string, io: Io): Promise<void> {
  const { log } = app
  const { registry, views, seeds } = app.project
  const viewCount = views.grouped.reduce((count, [, list]) => count + list.length, 0)
  log.info(`${registry.public.length} models and ${viewCount} views from ${app.project.folder}`)
  const place = app.dataFolder ?? 'memory, to be forgotten when the server stops'
  log.info(`Data in ${place}${app.seeded > 0 ? ` (${app.seeded} records from ${seeds.length} seed files)` : ''}`)
  for (const warning of app.project.warnings) log.warn(warning)
  const superuser = await firstSuperuser(app.store)
  if (superuser === undefined) {
    const remedy =
      app.dataFolder === undefined
        ? 'Add one to the seed records, in seed/user.yaml'
        : 'Make one: admin users add NAME --email ADDRESS --superuser'
    log.info(`There is no superuser yet. ${remedy}`)
  } else if (options.showToken === true) {
    // Not by the log, which has no tokens in it: this is for the person who asked.
    const say = (line: string) => io.stderr.write(`${line}\n`)
    const token = app.logins.issueAccessToken(superuser)
    const model = registry.public.find(({ key }) => !['user', 'group', 'permission'].includes(key)) ?? registry.expect('user')
    say(`\nAccess token of ${superuser.username}, good for ${app.settings.jwt.access_token_minutes} minutes:\n\n${token}`)
    say(
      `\nTry it:\n\ncurl -H 'Authorization: Bearer ${token}' '${address}${apiRoots(app.settings).models}/${model.key}?page_size=2'\n`,
    )
  }
}

function cannotListen({ settings: { host, port } }: App, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use; stop what listens there, or choose another with --port (0 takes a free one)`
  if (code === 'EACCES') return `Port ${port} may not be used by this user; choose one above 1023 with --port`
  return `Cannot listen on ${host}:${port}: ${message}`
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return Number(text)
}
