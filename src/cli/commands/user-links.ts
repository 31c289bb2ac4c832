import { Command } from 'commander'
import type { ShownInvitation } from '../../accounts/invitations.ts'
import { printable } from '../../util/text.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { findUserByName, recordsNamed } from './user-grants.ts'

type InviteOptions = RemoteOptions & { readonly group: readonly string[]; readonly json?: boolean }
type LinkOptions = RemoteOptions & { readonly json?: boolean }

/** `admin users invite`: prints a link by which a person creates an account. */
export function inviteCommand(io: Io): Command {
  return withRemoteOptions(new Command('invite').description('invite an address to create an account, and print the link'))
    .argument('<address>', 'e-mail address')
    .option(
      '--group <name>',
      'a group of the new account; can be given several times',
      (name, all: string[]) => [...all, name],
      [],
    )
    .option('--json', 'print the invitation as JSON')
    .addHelpText('after', '\nExample:\n  $ admin users invite ann@example.com --group Editors\n')
    .action(async (email: string, options: InviteOptions) => {
      const { data } = await withApi(io, options, async ({ client }) => {
        const groups = (await recordsNamed(client, 'group', options.group)).map(({ id }) => id)
        return (await client.request('/auth/invitations', { method: 'POST', body: { email, groups } })) as {
          data: ShownInvitation & { link: string; mailed: boolean }
        }
      })
      printLink(io, options, data)
      const sent = data.mailed ? '; it is also sent by mail' : ''
      io.stderr.write(printable(`The link is good once, until ${data.expires_at}${sent}`))
      io.stderr.write('\n')
    })
}

/** `admin users reset-password`: prints a link by which a user sets another password. */
export function resetPasswordCommand(io: Io): Command {
  return withRemoteOptions(new Command('reset-password').description('print a link by which a user sets another password'))
    .argument('<name>', 'username')
    .option('--json', 'print the link as JSON')
    .addHelpText('after', '\nExample:\n  $ admin users reset-password ann\n')
    .action(async (username: string, options: LinkOptions) => {
      const { data } = await withApi(io, options, async ({ client }) => {
        const { id: user_id } = await findUserByName(client, username)
        return (await client.request('/auth/password/link', { method: 'POST', body: { user_id } })) as {
          data: { link: string; expires_at: string }
        }
      })
      printLink(io, options, data)
      io.stderr.write(printable(`The link is good once, until ${data.expires_at}`))
      io.stderr.write('\n')
    })
}

/** `admin users verify-email`: takes the address of a user as verified. */
export function verifyEmailCommand(io: Io): Command {
  return withRemoteOptions(new Command('verify-email').description("take a user's address as verified"))
    .argument('<name>', 'username')
    .addHelpText('after', '\nExample:\n  $ admin users verify-email ann\n')
    .action(async (username: string, options: RemoteOptions) => {
      const { data } = await withApi(io, options, async ({ client }) => {
        const { id: user_id } = await findUserByName(client, username)
        return (await client.request('/auth/email/confirmed', { method: 'POST', body: { user_id } })) as {
          data: { email: string }
        }
      })
      io.stderr.write(printable(`The address ${data.email} of '${username}' is verified`))
      io.stderr.write('\n')
    })
}

function printLink(io: Io, { json = false }: LinkOptions, data: { readonly link: string }): void {
  io.stdout.write(`${json ? JSON.stringify(data) : printable(data.link)}\n`)
}
