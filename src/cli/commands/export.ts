import { dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { SHELL } from '../../auth/permissions.ts'
import { type QueryEntries, queryText } from '../../client/query.ts'
import { AppError } from '../../errors.ts'
import { DEFAULT_FORMAT, DELIMITERS, EXPORT_FORMATS, type ExportFormat } from '../../query/formats.ts'
import { rewriteFileValues } from '../../transfer/file-values.ts'
import { type ApiClient, appErrorOf, withApi } from '../api-client.ts'
import { ExportedFiles, refuseFiles } from '../exported-files.ts'
import { type Io, writeAll } from '../io.ts'
import { describedModels, withModelSuggestion } from '../model-requests.ts'
import { isFileName, makeOutputFolder, refuseExisting, refuseFileName, writeWholeFile } from '../output-file.ts'
import { RecordCounter, withProgress } from '../progress.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { bodyOf, bodyTextOf, UNCOMPRESSED } from '../server-fetch.ts'
import { describedFileFields, openStoredFile } from '../stored-files.ts'
import { counted } from '../style.ts'

interface ExportOptions extends RemoteOptions {
  readonly format: ExportFormat
  readonly filters?: string[]
  readonly any?: string[]
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly fields?: string
  readonly bom?: boolean
  readonly labels?: boolean
  readonly list?: string
  readonly timeZone?: string
  readonly all?: boolean
  readonly output?: string
  readonly force?: boolean
  readonly files?: boolean
}

const EXAMPLES = `
Examples:
  $ admin export post --filters status=draft --sort-by title -o drafts.csv
  $ admin export post --format ndjson | gzip > posts.ndjson.gz
  $ admin export post --labels --format xlsx --fields title,author,status -o posts.xlsx
  $ admin export --all --format json -o export
  $ admin export --all --files -o export
  $ ADMIN_TOKEN=… admin export post --url https://example.com -o posts.csv
`

/** `admin export`: writes records to files or to stdout. Works on a project folder, beside a running server, or on a remote one. */
export function exportCommand(io: Io): Command {
  return withRemoteOptions(new Command('export').description('write records as CSV, JSON, NDJSON or XLSX'))
    .argument('[model]', 'model to export, such as post')
    .addOption(new Option('--format <format>', 'format of the output').choices(EXPORT_FORMATS).default(DEFAULT_FORMAT))
    .option(
      '--filters <filter...>',
      'filter records: <field>=<value> or <field>__<operator>=<value>; a record must match all filters',
    )
    .option('--any <group...>', 'groups of filters with | between them; a record must match one filter of each group')
    .option('--sort-by <fields>', 'fields to sort by, such as title or author.name, separated by commas (default: id)')
    .option('--sort-order <orders>', 'asc or desc: one for all fields, or one per field separated by commas')
    .option('--fields <names>', 'fields to write, separated by commas (default: all except secrets)')
    .option('--bom', 'start CSV with a byte order mark, for spreadsheets')
    .option('--labels', 'write CSV or XLSX for people: titles, labels of choices, names of related records')
    .option('--list <view>', 'list view whose titles and labels are used, with --labels')
    .option('--time-zone <name>', 'time zone of dates with a time, such as Europe/Berlin, with --labels (default: UTC)')
    .option('--all', 'export every model, each to its own file in the folder given by -o')
    .option('-o, --output <path>', 'file to write, or the folder with --all (default: stdout)')
    .option('--files', 'write the files of records to the folder `files` beside the output, and their paths into the records')
    .option('--force', 'overwrite existing files')
    .addHelpText('after', EXAMPLES)
    .action((model: string | undefined, options: ExportOptions) => {
      checkUsage(model, options)
      const work = (api: ApiClient) => (model === undefined ? exportAll(api, options, io) : exportOne(api, model, options, io))
      return withApi(io, options, work, { mode: 'read' })
    })
}

/** @throws {AppError} USAGE */
function checkUsage(model: string | undefined, options: ExportOptions): void {
  const { all = false, output, filters, any, fields, sortBy, list, format, files = false, labels = false } = options
  const usageError = (message: string) => new AppError('USAGE', message)
  if (all === (model !== undefined)) throw usageError('Name a model, or use --all for every model')
  if (all && output === undefined) throw usageError('--all writes one file per model; name the folder with -o')
  if (all && output !== undefined) refuseFileName(output)
  if (all && (filters ?? any ?? fields ?? sortBy ?? list) !== undefined) {
    throw usageError('--filters, --any, --fields, --sort-by and --list apply to one model; export the models one by one')
  }
  if (files && output === undefined) throw usageError('--files writes files beside the records; name a file or a folder with -o')
  if (files && (labels || format === 'xlsx')) throw usageError('--files is for CSV, JSON and NDJSON without --labels')
  if (files && fields !== undefined && !fields.split(',').includes('id')) {
    throw usageError('--files needs the ids of the records: add id to --fields')
  }
  if (format === 'xlsx' && output === undefined) throw usageError('XLSX is not written to stdout; name a file with -o')
}

async function exportOne(api: ApiClient, model: string, options: ExportOptions, io: Io): Promise<void> {
  const { force = false } = options
  const output = await fileOfOne(model, options, io)
  const path = output === undefined ? undefined : resolve(io.cwd, output)
  // Checked before the download, to fail early.
  if (path !== undefined) await refuseExisting(path, { shown: output ?? path, force })
  if (path !== undefined && options.files === true) await refuseFiles({ folder: dirname(path), model, force })
  await withModelSuggestion(api, model, async () => {
    if (path === undefined) await writeAll(io.stdout, textOf(await download(api, model, options)))
    else await writeFile(api, model, options, { path, shown: output ?? path }, io)
  })
}

/** The file of an export of one model. With `--files`, `-o` may name a folder. */
async function fileOfOne(model: string, { output, files = false, format }: ExportOptions, io: Io): Promise<string | undefined> {
  if (output === undefined || !files || isFileName(output)) return output
  await makeOutputFolder(io, output)
  return join(output, `${fileNameOf(model)}.${format}`)
}

async function exportAll(api: ApiClient, options: ExportOptions, io: Io): Promise<void> {
  const { output = '.', force = false, format } = options
  const folder = await makeOutputFolder(io, output)
  const files = [...(await describedModels(api)).keys()].map((model) => {
    const name = `${fileNameOf(model)}.${format}`
    return { model, path: join(folder, name), shown: join(output, name) }
  })
  for (const { path, shown } of files) await refuseExisting(path, { shown, force })
  if (options.files === true) for (const { model } of files) await refuseFiles({ folder, model, force })
  for (const [written, { model, ...target }] of files.entries()) {
    await writeFile(api, model, options, target, io).catch((error: unknown) => {
      throw withProgressNote(appErrorOf(error), target.shown, written, files.length)
    })
  }
}

/** Adds the name of the file and the number of files written so far to an error. */
function withProgressNote(error: unknown, shown: string, written: number, total: number): unknown {
  if (!(error instanceof AppError)) return error
  const message = error.message.includes(shown) ? error.message : `${shown} was not written: ${error.message}`
  return new AppError(error.code, `${message}\n${written} of ${counted(total, 'file')} written`, { cause: error })
}

/** Validates a model name used as a file name, since a remote server is not trusted. @throws {AppError} TASK_FAILED */
function fileNameOf(model: string): string {
  if (/^\w+$/.test(model)) return model
  throw new AppError('TASK_FAILED', `The server has a model '${model}', which is not a valid file name`)
}

async function writeFile(
  api: ApiClient,
  model: string,
  options: ExportOptions,
  { path, shown }: { path: string; shown: string },
  io: Io,
): Promise<void> {
  const { format, force = false } = options
  // The records of a workbook cannot be counted in its bytes.
  const counter = format === 'xlsx' ? undefined : new RecordCounter(format)
  const total = io.stderr.isTTY === true && counter !== undefined ? await totalOf(api, model, options) : 0
  let files: ExportedFiles | undefined
  await io.interruptibly(async (signal) => {
    const content = await download(api, model, options, signal)
    files = options.files === true ? await filesBeside(path, api, model, options, signal) : undefined
    const text = counter?.counted(textOf(content))
    const pieces = text === undefined ? content : files === undefined ? text : withFiles(text, files, api, model, format)
    const shownPieces = withProgress<string | Uint8Array>(io, model, total, () => counter?.count ?? 0, pieces)
    await writeWholeFile(path, shownPieces, { shown, force, signal }).catch(async (error: unknown) => {
      await files?.close({ failed: true })
      throw error
    })
    await files?.close({ failed: false })
  })
  const count = counter === undefined ? '' : `${counted(counter.count, 'record')} to `
  io.stderr.write(`Wrote ${count}${shown}${files === undefined ? '' : `, and ${counted(files.count, 'file')} beside it`}\n`)
}

const filesBeside = (
  path: string,
  api: ApiClient,
  model: string,
  { force = false }: ExportOptions,
  signal: AbortSignal,
): Promise<ExportedFiles> =>
  ExportedFiles.begin({
    ...{ folder: dirname(path), model: fileNameOf(model), force, signal },
    open: (field, record, file) => openStoredFile(api, { model, record, field }, file, signal),
  })

/** The text of an export with paths in place of stored files, which are written meanwhile. */
async function* withFiles(
  text: AsyncIterable<string>,
  files: ExportedFiles,
  api: ApiClient,
  model: string,
  format: ExportFormat,
): AsyncGenerator<string> {
  const fields = await describedFileFields(api, model)
  if (fields.size === 0 || format === 'xlsx') return yield* text
  yield* rewriteFileValues(text, {
    format,
    delimiterOf: () => DELIMITERS.comma,
    fieldOf: (name) => (fields.has(name) ? name : undefined),
    replace: (value) => files.write(value),
  })
  await files.finish()
}

/** The expected number of records. */
async function totalOf({ client }: ApiClient, model: string, options: ExportOptions): Promise<number> {
  const query = [['page_size', 1], ['fields', 'id'], ...filtersOf(options)] as const
  return ((await client.request(`/models/${encodeURIComponent(model)}`, { query })) as { total: number }).total
}

/** The content of an export. In this process it is read from the service, since `server.inject` would hold the whole file in memory. */
async function download(
  { client, app }: ApiClient,
  model: string,
  { format, sortBy, sortOrder, fields, bom, labels, list, timeZone, ...filtering }: ExportOptions,
  signal?: AbortSignal,
): Promise<AsyncIterable<string | Uint8Array>> {
  const query: QueryEntries = [
    ['format', format],
    ...filtersOf(filtering),
    ['sort_by', sortBy],
    ['sort_order', sortOrder],
    ['fields', fields],
    ['bom', bom],
    ['labels', labels],
    ['list_id', list],
    ['time_zone', timeZone],
  ]
  if (app !== undefined) return (await app.exports.open(SHELL, model, queryText(query).slice(1))).content
  const path = `/models/${encodeURIComponent(model)}/export`
  const response = await client.fetch(path, { query, headers: UNCOMPRESSED, ...(signal && { signal }) })
  return (format === 'xlsx' ? bodyOf : bodyTextOf)(client.apiUrl, response)
}

/** The pieces of an export that is text. */
async function* textOf(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  for await (const piece of content) if (typeof piece === 'string') yield piece
}

const filtersOf = ({ filters = [], any = [] }: Pick<ExportOptions, 'filters' | 'any'>) => [
  ...filters.map((filter) => ['filters', filter] as const),
  ...any.map((group) => ['any', group] as const),
]
