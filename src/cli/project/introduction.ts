import { randomBytes } from 'node:crypto'
import type { App } from '../../app.ts'
import { ACCOUNT_MODELS } from '../../auth/models.ts'
import { SYSTEM } from '../../auth/permissions.ts'
import { apiRoots } from '../../http/paths.ts'
import { firstSuperuser } from '../../service/accounts/users.ts'
import type { Io } from '../terminal/io.ts'

/** A new superuser. */
export interface Account {
  readonly username: string
  readonly password: string
}

/** What a server says of itself when it starts. */
export interface Introduction {
  /** Base URL of the server. */
  readonly address: string
  readonly showToken: boolean
  /** A superuser created by this start, whose password is printed. */
  readonly account: Account | undefined
}

/** Creates a superuser with a random password, in an ephemeral application without users. */
export async function throwawaySuperuser({ store, records }: App): Promise<Account | undefined> {
  if (((await store.status()).records.get('user') ?? 0) > 0) return undefined
  const account = { username: 'admin', password: randomBytes(15).toString('base64url') }
  await records.create(SYSTEM, 'user', { data: { ...account, email: 'admin@example.com', is_superuser: true } })
  return account
}

/** Logs the project and data in use, and how to get started. */
export async function introduce(app: App, { showToken, address, account }: Introduction, io: Io): Promise<void> {
  const { log } = app
  const { registry, views, seeds } = app.project
  const viewCount = views.grouped.reduce((count, [, list]) => count + list.length, 0)
  log.info(`${registry.public.length} models and ${viewCount} views from ${app.project.folder}`)
  const place = app.dataFolder ?? 'memory, lost when the server stops'
  log.info(`Data in ${place}${app.seeded > 0 ? ` (${app.seeded} records from ${seeds.length} seed files)` : ''}`)
  for (const warning of app.project.warnings) log.warn(warning)
  log.info(`Documentation at ${address}${apiRoots(app.settings).docs}`)
  const superuser = await firstSuperuser(app.store)
  if (superuser !== undefined) log.info(`Log in as ${superuser.username}`)
  // As `admin init` prints it.
  if (account !== undefined) io.stdout.write(`username: ${account.username}\npassword: ${account.password}\n`)
  if (superuser === undefined) {
    log.info('There is no superuser yet. Add one: admin users add NAME --email ADDRESS --superuser')
  } else if (showToken) {
    // Written to stderr directly, since the log must not contain tokens.
    const print = (line: string) => io.stderr.write(`${line}\n`)
    const token = app.logins.issueAccessToken(superuser)
    const model = registry.public.find(({ key }) => !ACCOUNT_MODELS.includes(key)) ?? registry.expect('user')
    print(`\nAccess token of ${superuser.username}, valid for ${app.settings.jwt.access_token_minutes} minutes:\n\n${token}`)
    print(
      `\nTry it:\n\ncurl -H 'Authorization: Bearer ${token}' '${address}${apiRoots(app.settings).models}/${model.key}?page_size=2'\n`,
    )
  }
}
