import { Command } from 'commander'
import { AdminError, type Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { withModelSuggestion } from '../model-requests.ts'
import { withProgress } from '../progress.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { counted } from '../style.ts'

interface RecomputeOptions extends RemoteOptions {
  readonly dryRun?: boolean
}

/** The answer for one batch. */
interface Batch {
  readonly read: number
  readonly changed: number
  readonly last: number | null
}

const EXAMPLES = `
Examples:
  $ admin recompute order --dry-run
  $ admin recompute order
`

/** `admin recompute`: computes fields of stored records again. Works on a project folder, beside a running server, or on a remote one. */
export function recomputeCommand(io: Io): Command {
  return withRemoteOptions(new Command('recompute').description('compute the fields of stored records again that hooks compute'))
    .argument('<model>', 'model of the records, such as order')
    .option('--dry-run', 'count the records that would change, and change nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (model: string, { dryRun = false, ...options }: RecomputeOptions) => {
      const { read, changed } = await withApi(io, options, (api) =>
        withModelSuggestion(api, model, () => recomputed(io, api.client, model, dryRun)),
      )
      const records = counted(read, `${model} record`)
      io.stderr.write(
        dryRun
          ? `${changed} of ${records} would change; nothing was changed\n`
          : `Computed ${records} again, of which ${changed} changed\n`,
      )
    })
}

async function recomputed(io: Io, client: Client, model: string, dryRun: boolean): Promise<Pick<Batch, 'read' | 'changed'>> {
  const { total } = await client.model(model).list({ page_size: 1, fields: ['id'] })
  let read = 0
  let changed = 0
  for await (const batch of withProgress(io, model, total, () => read, batches(client, model, dryRun))) {
    read += batch.read
    changed += batch.changed
  }
  return { read, changed }
}

/** Adds the record to messages about a value that breaks its model: `order 10: total must be …`. */
const namingRecords =
  (model: string) =>
  (error: unknown): never => {
    const fields = error instanceof AdminError ? Object.entries(error.fieldErrors) : []
    const lines = fields.flatMap(([key, messages]) => messages.map((each) => `${model} ${key.split('.')[0]}: ${each}`))
    throw lines.length === 0 ? error : new AppError('VALIDATION_FAILED', lines.join('\n'))
  }

/** Each batch is stored before the next one is read. */
async function* batches(client: Client, model: string, dryRun: boolean): AsyncGenerator<Batch> {
  for (let after: number | null = 0; after !== null; ) {
    const body = { model, after, dry_run: dryRun }
    const { data } = (await client.request('/recompute', { method: 'POST', body }).catch(namingRecords(model))) as { data: Batch }
    yield data
    after = data.last
  }
}
