import { Command } from 'commander'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { counted } from '../style.ts'
import { findUserByName } from './user-grants.ts'

/** `admin users reset-2fa`: removes the second factors of a user who has lost them. */
export function resetFactorsCommand(io: Io): Command {
  return withRemoteOptions(
    new Command('reset-2fa').description('remove the second factors of a user who has lost them, and end all sessions'),
  )
    .argument('<name>', 'username')
    .addHelpText('after', '\nMake sure that it is the user who asks.\n\nExample:\n  $ admin users reset-2fa ann\n')
    .action(async (username: string, options: RemoteOptions) => {
      const { total } = await withApi(io, options, async ({ client }) => {
        const query = [['user_id', (await findUserByName(client, username)).id]] as const
        return (await client.request('/auth/factors', { method: 'DELETE', query })) as { total: number }
      })
      io.stderr.write(
        total === 0
          ? `'${username}' has no second factor\n`
          : `Removed ${counted(total, 'second factor')} of '${username}', with the recovery codes and all sessions\n`,
      )
    })
}
