import { inspect } from 'node:util'
import { Command, InvalidArgumentError } from 'commander'
import type { App } from '../../app.ts'
import type { SettingsInput } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { apiRoots } from '../../http/paths.ts'
import { createServer } from '../../http/server.ts'
import { firstSuperuser } from '../../service/users.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, withApp, withProjectOptions } from '../project-options.ts'

/** How long open requests may take to finish once the server is asked to stop. */
const STOP_TIMEOUT_MS = 10_000

interface ServeOptions extends ProjectOptions {
  readonly host?: string
  readonly port?: number
  readonly cors?: string[]
  readonly showToken?: boolean
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
    .option('--show-token', 'print an access token of the first superuser and a curl command that uses it')
    .addHelpText('after', '\nExample:\n  $ admin serve --project shop --port 0\n')
    .action((options: ServeOptions, command: Command) => {
      const debug = command.optsWithGlobals().debug === true
      return withApp(io, { ...options, debug }, 'write', (app) => serve(app, options, io), flagsOf(options))
    })
}

function flagsOf({ host, port, cors, rateLimit }: ServeOptions): SettingsInput {
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(cors === undefined ? {} : { cors }),
    ...(rateLimit ? {} : { rate_limits: { default: 0, auth: 0, upload: 0 } }),
  }
}

async function serve(app: App, options: ServeOptions, io: Io): Promise<void> {
  const say = (line: string) => io.stderr.write(`${line}\n`)
  const report = (requestId: string, error: unknown) => say(`request ${requestId} failed: ${inspect(error)}`)
  const server = await createServer(app, { report })
  await server.start().catch((error: NodeJS.ErrnoException) => {
    throw new AppError('TASK_FAILED', cannotListen(app, error), { cause: error })
  })
  const stop = io.stopRequested()
  const { host } = app.settings
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${server.info.port}`
  try {
    io.stdout.write(`Listening on ${address}\n`)
    await introduce(app, options, address, say)
    say(`${await stop}: finishing open requests`)
  } finally {
    await server.stop({ timeout: STOP_TIMEOUT_MS })
  }
}

/** Tells a person what is being served and how to begin. */
async function introduce(app: App, options: ServeOptions, address: string, say: (line: string) => void): Promise<void> {
  const { registry, views, seeds } = app.project
  const viewCount = views.grouped.reduce((count, [, list]) => count + list.length, 0)
  say(`${registry.public.length} models and ${viewCount} views from ${app.project.folder}`)
  say(`Data in ${app.dataFolder}${app.seeded > 0 ? ` (${app.seeded} records from ${seeds.length} seed files)` : ''}`)
  for (const warning of app.project.warnings) say(`Warning: ${warning}`)
  if (subscriptionCount(app) > 0) say('Warning: webhooks are configured, but this version does not deliver any')
  const superuser = await firstSuperuser(app.store)
  if (superuser === undefined) {
    say('There is no superuser yet. Stop the server and make one: admin users add NAME --email ADDRESS --superuser')
  } else if (options.showToken === true) {
    const token = app.logins.issueAccessToken(superuser.id)
    const model = registry.public.find(({ key }) => !['user', 'group', 'permission'].includes(key)) ?? registry.expect('user')
    say(`\nAccess token of ${superuser.username}, good for ${app.settings.jwt.access_token_minutes} minutes:\n\n${token}`)
    say(
      `\nTry it:\n\ncurl -H 'Authorization: Bearer ${token}' '${address}${apiRoots(app.settings).models}/${model.key}?page_size=2'\n`,
    )
  }
}

function subscriptionCount({ settings: { webhooks } }: App): number {
  return 'length' in webhooks ? webhooks.length : (webhooks.subscriptions?.length ?? 0)
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
