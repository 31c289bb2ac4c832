import { Command, Option } from 'commander'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { newPassword } from '../prompts.ts'
import { type RemoteOptions, withCodeOption, withRemoteOptions } from '../remote.ts'
import { printRecords } from '../style.ts'
import { resetFactorsCommand } from './user-factors.ts'
import { furtherFields } from './user-fields.ts'
import { allRecordsOf, findUserByName, grantCommand, showCommand } from './user-grants.ts'
import { inviteCommand, resetPasswordCommand, verifyEmailCommand } from './user-links.ts'
import { userLogCommand } from './user-log.ts'
import { sessionsCommand } from './user-sessions.ts'

type PasswordOptions = RemoteOptions & { passwordStdin?: boolean }
type AddOptions = PasswordOptions & {
  email: string
  superuser?: boolean
  password: boolean
  set: readonly string[]
  json?: boolean
}

/** A user as the API shows it: without the password. */
interface User {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly is_active: boolean
  readonly is_superuser: boolean
}

/** `admin users`: manages user accounts. Works on a project folder, beside a running server, or on a remote one. */
export function usersCommand(io: Io): Command {
  const users = new Command('users')
    .description('manage user accounts')
    .addHelpText('after', '\nExample:\n  $ admin users add ann --email ann@example.com\n')
  users.addCommand(addCommand(io))
  users.addCommand(listCommand(io))
  users.addCommand(passwordCommand(io))
  users.addCommand(activeCommand(io, 'disable', false))
  users.addCommand(activeCommand(io, 'enable', true))
  users.addCommand(grantCommand(io, 'grant'))
  users.addCommand(grantCommand(io, 'revoke'))
  users.addCommand(showCommand(io))
  users.addCommand(sessionsCommand(io))
  users.addCommand(inviteCommand(io))
  users.addCommand(resetPasswordCommand(io))
  users.addCommand(verifyEmailCommand(io))
  users.addCommand(userLogCommand(io))
  users.addCommand(resetFactorsCommand(io))
  return users
}

const stdinOption = (): Option => new Option('--password-stdin', 'read the password from standard input instead of prompting')

function addCommand(io: Io): Command {
  return withCodeOption(withRemoteOptions(new Command('add').description('add a user').argument('<name>', 'username')))
    .requiredOption('--email <address>', 'e-mail address')
    .option('--superuser', 'grant all permissions')
    .option(
      '--set <field=value>',
      'a further field of the user model, values other than text as JSON; can be given several times',
      (text, all: string[]) => [...all, text],
      [],
    )
    .addOption(stdinOption())
    .addOption(
      new Option('--no-password', 'no password: the user cannot log in with one, and may have API keys').conflicts(
        'passwordStdin',
      ),
    )
    .option('--json', 'print the user as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ admin users add ann --email ann@example.com --superuser\n' +
        '  $ admin users add bob --email bob@example.com --set first_name=Bob\n' +
        '  $ admin users add ci --email ci@example.com --no-password\n',
    )
    .action(async (username: string, options: AddOptions) => {
      const password = options.password ? await newPassword(io, options.passwordStdin === true) : null
      const isSuperuser = options.superuser === true
      const account = { username, email: options.email, password, ...(isSuperuser ? { is_superuser: true } : {}) }
      const canAsk = io.stdin.isTTY === true && options.passwordStdin !== true
      const { data } = await withApi(io, options, async ({ client }) => {
        const further = await furtherFields(io, client, { set: options.set, canAsk })
        return client.model('user').create({ ...further, ...account })
      })
      if (options.json === true) io.stdout.write(`${JSON.stringify(data)}\n`)
      io.stderr.write(`Added ${isSuperuser ? 'superuser' : 'user'} '${username}' with ID ${data.id}\n`)
    })
}

function listCommand(io: Io): Command {
  return withRemoteOptions(new Command('list').description('list all users'))
    .option('--json', 'print the users as a JSON array')
    .addHelpText(
      'after',
      '\nExamples:\n  $ admin users list\n  $ ADMIN_TOKEN=… admin users list --url https://example.com --json\n',
    )
    .action(async (options: RemoteOptions & { json?: boolean }) => {
      const users = await withApi(io, options, ({ client }) => allRecordsOf<User>(client, 'user'), { mode: 'read' })
      const yesNo = (value: boolean) => (value ? 'yes' : 'no')
      printRecords(io, users, options, {
        ID: ({ id }) => String(id),
        USERNAME: ({ username }) => username,
        EMAIL: ({ email }) => email,
        ACTIVE: ({ is_active }) => yesNo(is_active),
        SUPERUSER: ({ is_superuser }) => yesNo(is_superuser),
      })
    })
}

function passwordCommand(io: Io): Command {
  return withCodeOption(
    withRemoteOptions(new Command('passwd').description("change a user's password").argument('<name>', 'username')),
  )
    .addOption(stdinOption())
    .addHelpText('after', '\nExample:\n  $ admin users passwd ann\n')
    .action(async (username: string, options: PasswordOptions) => {
      const password = await newPassword(io, options.passwordStdin === true)
      await change(io, options, username, { password })
      io.stderr.write(`Changed the password of '${username}'\n`)
    })
}

function activeCommand(io: Io, name: 'disable' | 'enable', active: boolean): Command {
  return withCodeOption(withRemoteOptions(new Command(name).description(`${name} an account`).argument('<name>', 'username')))
    .addHelpText('after', `\nExample:\n  $ admin users ${name} ann\n`)
    .action(async (username: string, options: RemoteOptions) => {
      await change(io, options, username, { is_active: active })
      io.stderr.write(`User '${username}' is ${name}d\n`)
    })
}

async function change(io: Io, options: RemoteOptions, username: string, data: Readonly<Record<string, unknown>>): Promise<void> {
  await withApi(io, options, async ({ client }) => {
    const { id } = await findUserByName(client, username)
    await client.model('user').update(id, data)
  })
}
