import { Command } from 'commander'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { withModelSuggestion } from '../model-requests.ts'
import { parseId } from '../number-options.ts'
import { type RemoteOptions, withCodeOption, withRemoteOptions } from '../remote.ts'
import { counted } from '../style.ts'

interface RestoreOptions extends RemoteOptions {
  readonly dryRun?: boolean
}

const EXAMPLES = `
Examples:
  $ admin restore post 3
  $ admin restore post 3 --dry-run
`

/** `admin restore`: restores a deleted record from the history. Works on a project folder, beside a running server, or on a remote one. */
export function restoreCommand(io: Io): Command {
  return withCodeOption(withRemoteOptions(new Command('restore').description('restore a deleted record from the history')))
    .argument('<model>', 'model of the record, such as post')
    .argument('<id>', 'id of the record', parseId)
    .option('--dry-run', 'say what would be restored, and change nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (model: string, id: number, { dryRun = false, ...options }: RestoreOptions) => {
      const { consequences, notices } = await withApi(io, options, (api) =>
        withModelSuggestion(api, model, () => api.client.model(model).restore(id, { dryRun })),
      )
      io.stderr.write(dryRun ? `${model} ${id} would be restored; nothing was changed\n` : `Restored ${model} ${id}\n`)
      for (const { model: other, action, count } of consequences) {
        const records = counted(count, `${other} record`)
        io.stderr.write(action === 'cascade' ? `${records} with it\n` : `${records} referring to it again\n`)
      }
      for (const notice of notices) io.stderr.write(`${notice}\n`)
    })
}
