import { Command } from 'commander'
import type { App } from '../../app.ts'
import { SYSTEM } from '../../auth/permissions.ts'
import { expectUser } from '../../service/users.ts'
import type { StoredRecord } from '../../store/store.ts'
import type { Io } from '../io.ts'
import { newPassword } from '../password.ts'
import { printableJson } from '../printable.ts'
import { type ProjectOptions, withApp, withProjectOptions } from '../project-options.ts'
import { table } from '../style.ts'

type PasswordOptions = ProjectOptions & { passwordStdin?: boolean }
type AddOptions = PasswordOptions & { email: string; superuser?: boolean; json?: boolean }

/** `admin users`: the accounts of a project, from the shell. */
export function usersCommand(io: Io): Command {
  const users = new Command('users').description('manage user accounts')
  users.addCommand(addCommand(io))
  users.addCommand(listCommand(io))
  users.addCommand(passwordCommand(io))
  users.addCommand(activeCommand(io, 'disable', false))
  users.addCommand(activeCommand(io, 'enable', true))
  return users
}

function addCommand(io: Io): Command {
  return withProjectOptions(new Command('add').description('add a user').argument('<name>', 'username'))
    .requiredOption('--email <address>', 'e-mail address')
    .option('--superuser', 'give all permissions')
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .option('--json', 'print the user as JSON')
    .addHelpText('after', '\nExample:\n  $ admin users add ann --email ann@example.com --superuser\n')
    .action(async (username: string, options: AddOptions) => {
      const password = await newPassword(io, options.passwordStdin === true)
      const data = { username, email: options.email, password, is_superuser: options.superuser === true }
      await withApp(io, options, 'write', async (app) => {
        const user = await app.records.create(SYSTEM, 'user', { data })
        if (options.json === true) io.stdout.write(`${JSON.stringify(await shown(app, user))}\n`)
        io.stderr.write(`Added ${options.superuser === true ? 'superuser' : 'user'} '${username}' with ID ${user.id}\n`)
      })
    })
}

function listCommand(io: Io): Command {
  return withProjectOptions(new Command('list').description('list all users'))
    .option('--json', 'print the users as a JSON array')
    .action((options: ProjectOptions & { json?: boolean }) =>
      withApp(io, options, 'read', async (app) => {
        const users: StoredRecord[] = []
        for await (const batch of app.store.stream('user', { filters: [], sort: [] })) users.push(...batch)
        if (options.json === true) {
          io.stdout.write(`${printableJson(await Promise.all(users.map((user) => shown(app, user))))}\n`)
          return
        }
        const yesNo = (value: unknown) => (value === true ? 'yes' : 'no')
        const rows = users.map(({ id, username, email, is_active, is_superuser }) => [
          String(id),
          String(username),
          String(email),
          yesNo(is_active),
          yesNo(is_superuser),
        ])
        io.stdout.write(table(['ID', 'USERNAME', 'EMAIL', 'ACTIVE', 'SUPERUSER'], rows))
      }),
    )
}

function passwordCommand(io: Io): Command {
  return withProjectOptions(new Command('passwd').description("change a user's password").argument('<name>', 'username'))
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .action(async (username: string, options: PasswordOptions) => {
      const password = await newPassword(io, options.passwordStdin === true)
      await change(io, options, username, { password })
      io.stderr.write(`Changed the password of '${username}'\n`)
    })
}

function activeCommand(io: Io, name: 'disable' | 'enable', active: boolean): Command {
  return withProjectOptions(new Command(name).description(`${name} an account`).argument('<name>', 'username')).action(
    async (username: string, options: ProjectOptions) => {
      await change(io, options, username, { is_active: active })
      io.stderr.write(`User '${username}' is ${name}d\n`)
    },
  )
}

function change(
  io: Io,
  options: ProjectOptions,
  username: string,
  data: Readonly<Record<string, unknown>>,
): Promise<StoredRecord> {
  return withApp(io, options, 'write', async (app) => {
    const user = await expectUser(app.store, username)
    return app.records.update(SYSTEM, 'user', user.id, { data })
  })
}

async function shown(app: App, user: StoredRecord): Promise<unknown> {
  const { text } = await app.reads.one(SYSTEM, 'user', user)
  return JSON.parse(text)
}
