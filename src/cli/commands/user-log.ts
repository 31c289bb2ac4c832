import { Command } from 'commander'
import type { AccountLogEntry } from '../../client/client.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { printRecords } from '../style.ts'
import { findUserByName } from './user-grants.ts'

type LogOptions = RemoteOptions & { readonly limit: number; readonly json?: boolean }

/** `admin users log`: what has happened to the account of a user, or to all. */
export function userLogCommand(io: Io): Command {
  return withRemoteOptions(new Command('log').description('list logins, failed ones and other events of accounts, latest first'))
    .argument('[name]', 'username; all users without it')
    .option('--limit <n>', 'maximum number of events', wholeNumber('The limit', 1, 100), 50)
    .option('--json', 'print the events as a JSON array')
    .addHelpText('after', '\nExamples:\n  $ admin users log\n  $ admin users log ann --limit 10\n')
    .action(async (username: string | undefined, options: LogOptions) => {
      const events = await withApi(
        io,
        options,
        async ({ client }) => {
          const whose = username === undefined ? { all: true } : { user_id: (await findUserByName(client, username)).id }
          return (await client.accountLog({ ...whose, page_size: options.limit })).data
        },
        { mode: 'read' },
      )
      printRecords<AccountLogEntry>(io, events, options, {
        AT: ({ at }) => at,
        USER: ({ user }) => user.username,
        EVENT: ({ event }) => event,
        COUNT: ({ count }) => String(count),
        METHOD: ({ method }) => method ?? '-',
        ADDRESS: ({ address }) => address ?? '-',
        'USER AGENT': ({ user_agent }) => user_agent ?? '-',
      })
    })
}
