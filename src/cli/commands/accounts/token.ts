import { Command } from 'commander'
import { tokenHolder } from '../../../service/accounts/users.ts'
import { localConnection } from '../../api/api-client.ts'
import { overHttp } from '../../api/http-requests.ts'
import { localServer } from '../../api/local-server.ts'
import { type ProjectOptions, withApp, withProjectOptions } from '../../project/project-options.ts'
import type { Io } from '../../terminal/io.ts'

type TokenOptions = ProjectOptions & { readonly user?: string; readonly json?: boolean }

/** `admin token`: prints an access token and nothing else. Works while a server runs. */
export function tokenCommand(io: Io): Command {
  return withProjectOptions(new Command('token').description('print an access token'))
    .option('--user <name>', 'username of the token (default: the first superuser)')
    .option('--json', 'print {"access_token": …}')
    .addHelpText('after', '\nExample:\n  $ curl -H "Authorization: Bearer $(admin token)" http://127.0.0.1:8000/api/v1/auth/me\n')
    .action(async (options: TokenOptions) => {
      const token = (await ephemeralToken(io, options)) ?? (await storedToken(io, options))
      io.stdout.write(options.json === true ? `${JSON.stringify({ access_token: token })}\n` : `${token}\n`)
    })
}

const storedToken = (io: Io, options: TokenOptions): Promise<string> =>
  withApp(io, options, 'read', async ({ store, logins }) => logins.issueAccessToken(await tokenHolder(store, options.user)))

/** The accounts of an ephemeral server are in its memory, so it issues the token itself. */
async function ephemeralToken(io: Io, options: TokenOptions): Promise<string | undefined> {
  const server = await localServer(io, options)
  const connection = server?.isEphemeral === true ? await localConnection(io, options) : undefined
  if (connection === undefined) return undefined
  return (await overHttp(connection).request('POST', '/auth/issue', { username: options.user })).access_token
}
