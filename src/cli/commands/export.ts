import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { AppError } from '../../errors.ts'
import { DEFAULT_FORMAT, FORMATS, type Format } from '../../query/formats.ts'
import { type ApiClient, withApi } from '../api/api-client.ts'
import { aboutModel, describedModels } from '../api/described-models.ts'
import { type RemoteOptions, withRemoteOptions } from '../api/remote.ts'
import { withRetries } from '../api/retry-limit.ts'
import { type Io, writeAll } from '../terminal/io.ts'
import { withProgress } from '../terminal/progress.ts'
import { RecordCounter } from '../terminal/record-counter.ts'
import { refuseExisting, writeWholeFile } from '../terminal/whole-file.ts'

interface ExportOptions extends RemoteOptions {
  readonly format: Format
  readonly filters?: string[]
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly fields?: string
  readonly bom?: boolean
  readonly all?: boolean
  readonly output?: string
  readonly force?: boolean
}

const EXAMPLES = `
Examples:
  $ admin export post --filters status=draft --sort-by title -o drafts.csv
  $ admin export post --format ndjson | gzip > posts.ndjson.gz
  $ admin export --all --format json -o export
  $ ADMIN_TOKEN=… admin export post --url https://example.com -o posts.csv
`

/** `admin export`: writes records into files, or to stdout. A running server is asked, here or elsewhere. */
export function exportCommand(io: Io): Command {
  return withRemoteOptions(new Command('export').description('write records as CSV, JSON or NDJSON'))
    .argument('[model]', 'whose records, such as post')
    .addOption(new Option('--format <format>', 'what to write').choices(FORMATS).default(DEFAULT_FORMAT))
    .option('--filters <filter...>', 'which records: <field>=<value> or <field>__<operator>=<value>; all must hold')
    .option('--sort-by <fields>', 'fields to sort by, with commas between them (default: id)')
    .option('--sort-order <orders>', 'asc or desc, for all fields or for each')
    .option('--fields <names>', 'fields to write, with commas between them (default: all but secrets)')
    .option('--bom', 'begin CSV with a byte order mark, for spreadsheets')
    .option('--all', 'every model, each in a file of its own in the folder of -o')
    .option('-o, --output <path>', 'the file, or with --all the folder, to write (default: stdout)')
    .option('--force', 'write over files that are there')
    .addHelpText('after', EXAMPLES)
    .action((model: string | undefined, options: ExportOptions) => {
      checkUsage(model, options)
      const work = (client: ApiClient) =>
        model === undefined ? exportAll(client, options, io) : exportOne(client, model, options, io)
      return withApi(io, options, work, { mode: 'read' })
    })
}

/** @throws {AppError} USAGE */
function checkUsage(model: string | undefined, { all = false, output, filters, fields, sortBy }: ExportOptions): void {
  const wrong = (words: string) => new AppError('USAGE', words)
  if (all === (model !== undefined)) throw wrong('Name a model, or --all for every one')
  if (all && output === undefined) throw wrong('--all writes a file for each model; name their folder with -o')
  if (all && (filters ?? fields ?? sortBy) !== undefined) {
    throw wrong('--filters, --fields and --sort-by are about one model; export them one by one')
  }
}

async function exportOne(client: ApiClient, model: string, options: ExportOptions, io: Io): Promise<void> {
  const { output, force = false } = options
  const path = output === undefined ? undefined : resolve(io.cwd, output)
  // Before the work rather than after it.
  if (path !== undefined) await refuseExisting(path, { shown: output ?? path, force })
  await aboutModel(client, model, async () => {
    if (path === undefined) await writeAll(io.stdout, await client.download(pathOf(model, options)))
    else await writeFile(client, model, options, { path, shown: output ?? path }, io)
  })
}

async function exportAll(client: ApiClient, options: ExportOptions, io: Io): Promise<void> {
  const { output = '.', force = false, format } = options
  const folder = resolve(io.cwd, output)
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${output} cannot be written into: ${error.message}`)
  })
  const files = [...(await describedModels(client)).keys()].map((model) => {
    const name = `${fileNameOf(model)}.${format}`
    return { model, path: join(folder, name), shown: join(output, name) }
  })
  for (const { path, shown } of files) await refuseExisting(path, { shown, force })
  for (const [written, { model, ...target }] of files.entries()) {
    await writeFile(client, model, options, target, io).catch((error: unknown) => {
      throw partly(error, target.shown, written, files.length)
    })
  }
}

/** Says which file it is about, and that those before it are there. */
function partly(error: unknown, shown: string, written: number, total: number): unknown {
  if (!(error instanceof AppError)) return error
  const words = error.message.includes(shown) ? error.message : `${shown} was not written: ${error.message}`
  return new AppError(error.code, `${words}\n${written} of ${total} files are written`, { cause: error })
}

/** A server elsewhere may say anything of how its models are called. @throws {AppError} TASK_FAILED */
function fileNameOf(model: string): string {
  if (/^\w+$/.test(model)) return model
  throw new AppError('TASK_FAILED', `The server has a model '${model}', which is no name of a file`)
}

async function writeFile(
  client: ApiClient,
  model: string,
  options: ExportOptions,
  { path, shown }: { path: string; shown: string },
  io: Io,
): Promise<void> {
  const { format, force = false } = options
  const total = io.stderr.isTTY === true ? await withRetries(io, () => totalOf(client, model, options)) : 0
  const counter = new RecordCounter(format)
  await io.interruptibly(async (signal) => {
    const text = counter.counted(
      await withRetries(io, () => client.download(pathOf(model, options), signal), { stopped: signal }),
    )
    await writeWholeFile(
      path,
      withProgress(io, model, total, () => counter.count, text),
      { shown, force, signal },
    )
  })
  io.stderr.write(`Wrote ${counter.count} ${counter.count === 1 ? 'record' : 'records'} to ${shown}\n`)
}

/** How many records are to be expected. */
async function totalOf({ request }: ApiClient, model: string, { filters = [] }: ExportOptions): Promise<number> {
  const query = new URLSearchParams({ page_size: '1', fields: 'id' })
  for (const filter of filters) query.append('filters', filter)
  return (await request('GET', `/models/${encodeURIComponent(model)}?${query}`)).total
}

const pathOf = (model: string, options: ExportOptions): string =>
  `/models/${encodeURIComponent(model)}/export?${queryOf(options)}`

/** The same query that the API takes. */
function queryOf({ format, filters = [], sortBy, sortOrder, fields, bom = false }: ExportOptions): string {
  const query = new URLSearchParams({ format })
  for (const filter of filters) query.append('filters', filter)
  if (sortBy !== undefined) query.set('sort_by', sortBy)
  if (sortOrder !== undefined) query.set('sort_order', sortOrder)
  if (fields !== undefined) query.set('fields', fields)
  if (bom) query.set('bom', 'true')
  return query.toString()
}
