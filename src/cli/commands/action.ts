import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { isObject } from '../../util/json.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { withModelSuggestion } from '../model-requests.ts'
import { parseId } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'

interface ActionOptions extends RemoteOptions {
  readonly input?: string
  readonly dryRun?: boolean
}

const EXAMPLES = `
Examples:
  $ admin action post publish 12
  $ admin action post publish 12 13 14 --dry-run
  $ admin action post rate 12 --input '{"stars":3}'
`

/** `admin action`: performs an action of the project on records. Works on a project folder, beside a running server, or on a remote one. */
export function actionCommand(io: Io): Command {
  return withRemoteOptions(new Command('action').description('perform an action of the project on records, all or none'))
    .argument('<model>', 'model of the records, such as post')
    .argument('<action>', 'name of the action, such as publish')
    .argument('[ids...]', 'ids of the records', (text: string, ids: readonly number[] = []) => [...ids, parseId(text)])
    .option('--input <json>', 'the input of the action, as a JSON object')
    .option('--dry-run', 'do everything but the commit, and change nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (model: string, action: string, ids: readonly number[], options: ActionOptions) => {
      const { input, dryRun = false, ...rest } = options
      const records = ids.length === 0 ? null : ids.length === 1 ? (ids[0] ?? null) : ids
      const given = input === undefined ? {} : jsonObjectIn(input)
      const { message } = await withApi(io, rest, (api) =>
        withModelSuggestion(api, model, () => api.client.model(model).action(action, records, given, { dryRun })),
      )
      io.stderr.write(dryRun ? `${message}; nothing was changed\n` : `${message}\n`)
    })
}

/** The value of the option `--input`. @throws {AppError} USAGE */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(text)
    if (isObject(input)) return input
  } catch {}
  throw new AppError('USAGE', `--input must be a JSON object, such as '{"stars": 3}'`)
}
