import { Command, InvalidArgumentError } from 'commander'
import type { ApiKey, Client, NewApiKey } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { printable } from '../../util/text.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { type RemoteOptions, remoteOf, withRemoteOptions } from '../remote.ts'
import { printRecords } from '../style.ts'
import { findUserByName } from './user-grants.ts'

type AddOptions = RemoteOptions & {
  readonly user?: string
  readonly scopes: readonly string[]
  /** 0 for a key that does not expire. */
  readonly days?: number
  readonly json?: boolean
}

type ListOptions = RemoteOptions & { readonly user?: string; readonly json?: boolean }

/** `admin keys`: API keys of users. Works on a project folder, beside a running server, or on a remote one. */
export function keysCommand(io: Io): Command {
  const keys = new Command('keys')
    .description('manage API keys')
    .addHelpText('after', '\nExample:\n  $ admin keys add CI --user robot --scopes read,add_article\n')
  keys.addCommand(addCommand(io))
  keys.addCommand(listCommand(io))
  keys.addCommand(revokeCommand(io))
  return keys
}

function addCommand(io: Io): Command {
  return withRemoteOptions(
    new Command('add').description('create an API key and print it, once').argument('<name>', 'what it is for'),
  )
    .requiredOption('--scopes <names>', 'permissions such as view_article, or read, write, *; separated by commas', namesIn)
    .option('--user <name>', 'the owner (default: the user of the credential for --url)')
    .option('--days <number>', 'days until it ends, or never (default: 90)', daysIn)
    .option('--json', 'print the key with its details as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ admin users add robot --email robot@example.com --no-password\n' +
        '  $ admin keys add CI --user robot --scopes read --days 30\n',
    )
    .action(async (name: string, { user, scopes, days, json, ...options }: AddOptions) => {
      if (user === undefined && remoteOf(io, options) === undefined)
        throw new AppError(
          'USAGE',
          'A key needs an owner: --user NAME; `admin users add NAME --email ADDRESS --no-password` adds a robot',
        )
      const { key, ...shown } = await withApi(io, options, async ({ client }) => {
        const owner = user === undefined ? {} : { user_id: await idOf(client, user) }
        const body = { name, scopes, ...(days === undefined ? {} : { expires_in_days: days === 0 ? null : days }), ...owner }
        return ((await client.request('/auth/keys', { method: 'POST', body })) as { data: NewApiKey }).data
      })
      io.stdout.write(json === true ? `${JSON.stringify({ ...shown, key })}\n` : `${key}\n`)
      const end = shown.expires_at === null ? 'does not expire' : `expires at ${shown.expires_at}`
      io.stderr.write(`Added key ${shown.id} of '${printable(shown.owner.username)}', which ${end}; it is not shown again\n`)
    })
}

function listCommand(io: Io): Command {
  return withRemoteOptions(new Command('list').description('list API keys, without the keys'))
    .option('--user <name>', 'those of a user (default: all; with --url those of the user of the credential)')
    .option('--json', 'print the keys as a JSON array')
    .addHelpText('after', '\nExample:\n  $ admin keys list --user robot\n')
    .action(async ({ user, ...options }: ListOptions) => {
      const list = async (client: Client) => {
        const query = user === undefined ? [] : [['user_id', await idOf(client, user)] as const]
        return ((await client.request('/auth/keys', { query })) as { data: readonly ApiKey[] }).data
      }
      const keys = await withApi(io, options, ({ client }) => list(client), { mode: 'read' })
      printRecords(io, keys, options, {
        ID: ({ id }) => String(id),
        NAME: ({ name }) => name,
        OWNER: ({ owner }) => owner.username,
        KEY: ({ hint }) => hint,
        SCOPES: ({ scopes }) => scopes.join(','),
        EXPIRES: ({ expires_at }) => expires_at ?? 'never',
        'LAST USED': ({ last_used_at }) => last_used_at ?? '-',
      })
    })
}

function revokeCommand(io: Io): Command {
  return withRemoteOptions(new Command('revoke').description('revoke an API key').argument('<id>', 'id of the key', idIn))
    .addHelpText('after', '\nExample:\n  $ admin keys revoke 3\n')
    .action(async (id: number, options: RemoteOptions) => {
      const { data } = await withApi(
        io,
        options,
        async ({ client }) => (await client.request(`/auth/keys/${id}`, { method: 'DELETE' })) as { data: ApiKey },
      )
      io.stderr.write(`Revoked key ${data.id} ('${printable(data.name)}') of '${printable(data.owner.username)}'\n`)
    })
}

const idOf = async (client: Client, username: string): Promise<number> => (await findUserByName(client, username)).id

const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const daysIn = (text: string): number => (text === 'never' ? 0 : wholeNumber('The number of days', 1, 3650)(text))

function idIn(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be the id of a key, as `admin keys list` prints it.')
  return Number(text)
}
