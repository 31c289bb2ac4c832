import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { expectUser, firstSuperuser } from '../../service/accounts/users.ts'
import { ephemeralToken } from '../api/api-client.ts'
import { type ProjectOptions, withApp, withProjectOptions } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'

interface TokenOptions extends ProjectOptions {
  readonly user?: string
  readonly json?: boolean
}

/** `admin token`: prints an access token and nothing else. Works while a server runs. */
export function tokenCommand(io: Io): Command {
  return withProjectOptions(new Command('token').description('print an access token'))
    .option('--user <name>', 'username of the token (default: the first superuser)')
    .option('--json', 'print {"access_token": …}')
    .addHelpText('after', '\nExample:\n  $ curl -H "Authorization: Bearer $(admin token)" http://127.0.0.1:8000/api/v1/auth/me\n')
    .action(async (options: TokenOptions) => {
      const ephemeral = await ephemeralToken(io, options)
      if (ephemeral !== undefined) return print(forEphemeral(ephemeral, options), options, io)
      await withApp(io, options, 'read', async (app) => {
        const user = options.user === undefined ? await firstSuperuser(app.store) : await expectUser(app.store, options.user)
        if (user === undefined) {
          throw new AppError(
            'TASK_FAILED',
            'There is no superuser yet; add one: admin users add NAME --email ADDRESS --superuser',
          )
        }
        if (user.is_active !== true)
          throw new AppError('TASK_FAILED', `User '${String(user.username)}' is disabled, so a server would reject the token`)
        print(app.logins.issueAccessToken(user), options, io)
      })
    })
}

/** The users of an ephemeral server are in its memory, so the token is that of the shell, with all permissions. */
function forEphemeral(token: string, { user }: TokenOptions): string {
  if (user === undefined) return token
  throw new AppError('USAGE', 'The token for an ephemeral server has all permissions and no user; leave --user out, or log in')
}

function print(token: string, { json = false }: TokenOptions, io: Io): void {
  io.stdout.write(json ? `${JSON.stringify({ access_token: token })}\n` : `${token}\n`)
}
