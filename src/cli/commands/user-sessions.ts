import { Command } from 'commander'
import type { Client, LoginSession } from '../../client/client.ts'
import { type ApiClient, withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { counted, printRecords } from '../style.ts'
import { findUserByName } from './user-grants.ts'

type SessionsOptions = RemoteOptions & { readonly end?: boolean; readonly json?: boolean }

/** `admin users sessions`: lists or ends the sessions of a user. */
export function sessionsCommand(io: Io): Command {
  return withRemoteOptions(new Command('sessions').description("list a user's sessions, or end them"))
    .argument('<name>', 'username')
    .option('--end', 'end all of them, with their access tokens')
    .option('--json', 'print the sessions as a JSON array, or with --end {"ended": …}')
    .addHelpText('after', '\nExamples:\n  $ admin users sessions ann\n  $ admin users sessions ann --end\n')
    .action((username: string, options: SessionsOptions) =>
      options.end === true ? endSessions(io, username, options) : listSessions(io, username, options),
    )
}

async function listSessions(io: Io, username: string, options: SessionsOptions): Promise<void> {
  const list = async ({ client }: ApiClient) =>
    (await client.request('/auth/sessions', { query: await queryOf(client, username) })) as { data: readonly LoginSession[] }
  const { data: sessions } = await withApi(io, options, list, { mode: 'read' })
  printRecords(io, sessions, options, {
    ID: ({ id }) => String(id),
    CREATED: ({ created_at }) => created_at,
    'LAST USED': ({ last_used_at }) => last_used_at ?? '-',
    ADDRESS: ({ address }) => address ?? '-',
    'USER AGENT': ({ user_agent }) => user_agent ?? '-',
  })
}

async function endSessions(io: Io, username: string, options: SessionsOptions): Promise<void> {
  const end = async ({ client }: ApiClient) =>
    (await client.request('/auth/sessions', { method: 'DELETE', query: await queryOf(client, username) })) as { total: number }
  const { total: ended } = await withApi(io, options, end)
  if (options.json === true) io.stdout.write(`${JSON.stringify({ ended })}\n`)
  io.stderr.write(`Ended ${counted(ended, 'session')} of '${username}'\n`)
}

const queryOf = async (client: Client, username: string) => [['user_id', (await findUserByName(client, username)).id]] as const
