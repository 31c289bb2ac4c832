import { stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Context, Script } from '../../code/define.ts'
import { MAIL_JOB } from '../../code/mail-job.ts'
import { failureOf, failureText } from '../../code/running.ts'
import { ModuleLoader } from '../../config/module-source.ts'
import { AppError } from '../../errors.ts'
import { createLog } from '../../log/create-log.ts'
import { onServerOrHere } from '../api-client.ts'
import type { Io } from '../io.ts'
import { sourceOf, withAppOf } from '../project-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'

const HELP = `
The file exports a function by default: export default async (ctx, args) => { … }. It acts with all permissions.

While a server has the data folder, the script works through its API, without ctx.transaction. Beside the servers of a database it works by itself.

Example:
  $ admin run scripts/backfill.ts -- --since 2026-01-01
`

/** `admin run`: runs a script of the project. */
export function runCommand(io: Io): Command {
  return withRemoteOptions(new Command('run').description('run a script of the project'))
    .argument('<script>', 'path of the script from the project folder, such as scripts/backfill.ts')
    .argument('[args...]', 'arguments of the script, after --')
    .addHelpText('after', HELP)
    .action(async (path: string, args: readonly string[], options: RemoteOptions) => {
      const { folder } = sourceOf(io, options, {})
      const file = relative(folder, resolve(folder, path))
      const run = async (context: Context) => {
        const script = await scriptIn(folder, file)
        try {
          await script(context, args)
        } catch (error) {
          const failure = failureOf(error, { file, line: 1, name: 'script', call: script })
          throw new AppError('TASK_FAILED', failureText(failure), { cause: error })
        }
      }
      const { signal } = new AbortController()
      await onServerOrHere(
        io,
        options,
        (client) => run(contextOnServer(io, client, signal)),
        (project) =>
          withAppOf(
            io,
            project,
            'write',
            (app) => run(app.scriptContext(file, signal)),
            () => logOf(io),
          ),
      )
    })
}

/** @throws {AppError} CONFIG_INVALID, USAGE */
async function scriptIn(folder: string, file: string): Promise<Script> {
  if ((await stat(join(folder, file)).catch(() => undefined))?.isFile() !== true) {
    throw new AppError('USAGE', `There is no file ${file} in ${folder}`)
  }
  const { definition, faults } = await new ModuleLoader(folder).load(join(folder, file), file)
  faults.throwIfAny()
  if (typeof definition?.value === 'function') return definition.value as Script
  throw new AppError('USAGE', `${file} must export a function by default: export default async (ctx, args) => { … }`)
}

const logOf = (io: Io) => createLog((text) => io.stderr.write(text), { level: 'info', format: 'text' })

/** What a script gets beside a server: the API of the server. */
function contextOnServer(io: Io, client: Client, signal: AbortSignal): Context {
  io.stderr.write('A server has the data, so the script works through its API, without transaction\n')
  const reach = { model: (key: string) => client.model(key) } as unknown as Context['system']
  return {
    ...{ actor: null, via: 'script', request_id: undefined, signal, log: logOf(io), now: () => new Date() },
    async enqueue({ name }, input, { key, run_at } = {}) {
      await client.request(`/jobs/${encodeURIComponent(name)}/run`, {
        method: 'POST',
        body: { input, key, run_at: run_at?.toISOString() },
      })
    },
    async mail({ to, subject, text }) {
      await client.request(`/jobs/${MAIL_JOB}/run`, { method: 'POST', body: { input: { to, subject, text } } })
    },
    async transaction() {
      throw new AppError(
        'TASK_FAILED',
        'There is no transaction beside a server: it has the data folder for itself. Stop it while the script runs, or use ctx.model(…)',
      )
    },
    model: reach.model,
    system: reach,
  }
}
