import { randomBytes } from 'node:crypto'
import { firstSuperuser, superuserCommand, userNamed } from '../accounts/users.ts'
import type { App } from '../app.ts'
import { SYSTEM } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { LiveServer } from '../http/live-server.ts'
import { apiRoots } from '../http/paths.ts'
import type { Io } from './io.ts'
import { counted } from './style.ts'

interface IntroductionOptions {
  /** Address of the server, as a browser on this machine can use it. */
  readonly address: string
  /** Prints an access token of the first superuser. */
  readonly showToken: boolean
}

/** Logs the project and data that a server uses, its pages, and how to get started. */
export async function introduce(live: LiveServer, { address, showToken }: IntroductionOptions, io: Io): Promise<void> {
  const { app } = live
  const { log } = app
  const { registry, views, seeds } = app.project
  const viewCount = views.grouped.reduce((count, [, list]) => count + list.length, 0)
  log.info(`${counted(registry.public.length, 'model')} and ${counted(viewCount, 'view')} from ${app.project.folder}`)
  const place = app.place ?? 'memory, lost when the server stops'
  log.info(
    `Data in ${place}${app.seeded > 0 ? ` (${counted(app.seeded, 'record')} from ${counted(seeds.length, 'seed file')})` : ''}`,
  )
  const open = app.project.endpoints.filter(({ access }) => access === 'public').map(({ code }) => code.name)
  if (open.length > 0) log.info(`Endpoints without a token, below ${apiRoots(app.settings).endpoints}: ${open.join(', ')}`)
  for (const warning of app.project.warnings) log.warn(warning)
  const superuser = await firstSuperuser(app.store)
  const login = superuser === undefined ? '' : `; log in as ${superuser.username}`
  if (live.server.app.page !== undefined) log.info(`Admin page at ${pageAddress(live, address)}`)
  log.info(`Documentation at ${address}${apiRoots(app.settings).docs}${login}`)
  if (superuser === undefined) {
    if (app.place !== undefined) log.info(`There is no superuser yet. Add one: ${superuserCommand(registry.expect('user'))}`)
  } else if (showToken) {
    // Written to stderr directly, since the log must not contain tokens.
    const print = (line: string) => io.stderr.write(`${line}\n`)
    const token = app.logins.issueAccessToken(superuser)
    const model =
      registry.public.find(({ key }) => !['user', 'group', 'permission', 'savedview'].includes(key)) ?? registry.expect('user')
    print(`\nAccess token of ${superuser.username}, valid for ${app.settings.jwt.access_token_minutes} minutes:\n\n${token}`)
    print(
      `\nTry it:\n\ncurl -H 'Authorization: Bearer ${token}' '${address}${apiRoots(app.settings).models}/${model.key}?page_size=2'\n`,
    )
  }
}

/** The address of the admin page or, without one, of the documentation. */
export const pageAddress = ({ app, server }: LiveServer, address: string): string =>
  address + (server.app.page ?? apiRoots(app.settings).docs)

/** Replaces the wildcard address, which cannot be connected to, with the loopback address. */
export const reachable = (address: string): string => address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

const NAME = 'admin'

/**
 * Adds a superuser with a random password to an ephemeral application that has none.
 *
 * @param print prints the password at the terminal; undefined if stderr holds a JSON log, which is collected
 */
export async function ensureSuperuser(app: App, print: ((line: string) => void) | undefined): Promise<void> {
  if (app.place !== undefined || (await firstSuperuser(app.store)) !== undefined) return
  const password = randomBytes(15).toString('base64url')
  const isFree = (await userNamed(app.store, NAME)) === undefined
  const username = isFree ? NAME : `${NAME}-${randomBytes(3).toString('hex')}`
  const data = { username, email: `${username}@example.com`, password, is_superuser: true }
  try {
    await app.records.create(SYSTEM, 'user', { data })
  } catch (error) {
    // The project's own user model may have further mandatory fields.
    if (!(error instanceof AppError)) throw error
    const command = superuserCommand(app.project.registry.expect('user'))
    app.log.info(
      `No superuser could be added (${error.message}); run \`${command}\`, or add one to the seed records, in seed/user.yaml`,
    )
    return
  }
  const remedy = 'its password is not printed, since the log is JSON; `admin token` prints a token'
  if (print === undefined) app.log.info(`Added the superuser ${username}, which exists until the server stops; ${remedy}`)
  else print(`Log in as ${username} with the password ${password} (until the server stops)`)
}
