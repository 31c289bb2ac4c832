import { Command } from 'commander'
import { tokenHolder } from '../../accounts/users.ts'
import { loadProject, type Project } from '../../project/project.ts'
import { type LocalServer, localServer, onLocalServer } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, sourceOf, withAppOf, withProjectOptions } from '../project-options.ts'

type TokenOptions = ProjectOptions & { readonly user?: string; readonly json?: boolean }

/** `admin token`: prints an access token and nothing else. Works while a server runs. */
export function tokenCommand(io: Io): Command {
  return withProjectOptions(new Command('token').description('print an access token'))
    .option('--user <name>', 'username of the token (default: the first superuser)')
    .option('--json', 'print {"access_token": …}')
    .addHelpText('after', '\nExample:\n  $ curl -H "Authorization: Bearer $(admin token)" http://127.0.0.1:8000/api/v1/auth/me\n')
    .action(async (options: TokenOptions) => {
      const project = await loadProject(sourceOf(io, options, {}))
      const server = await localServer(io, options, project)
      const token =
        server?.isEphemeral === true
          ? await ephemeralToken(io, server, options.user)
          : await storedToken(io, project, options.user)
      io.stdout.write(options.json === true ? `${JSON.stringify({ access_token: token })}\n` : `${token}\n`)
    })
}

const storedToken = (io: Io, project: Project, user: string | undefined): Promise<string> =>
  withAppOf(io, project, 'read', async ({ store, logins, project: { registry } }) =>
    logins.issueAccessToken(await tokenHolder(store, registry.expect('user'), user)),
  )

/** The accounts of an ephemeral server are in its memory, so it issues the token itself. */
const ephemeralToken = (io: Io, server: LocalServer, username: string | undefined): Promise<string> =>
  onLocalServer(io, server, async (client) => {
    const issued = await client.request('/auth/issue', { method: 'POST', body: { username } })
    return (issued as { access_token: string }).access_token
  })
