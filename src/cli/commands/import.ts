import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { SHELL } from '../../auth/permissions.ts'
import type { ImportMap } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { DELIMITERS, type DelimiterName, FORMATS, type Format, formatOfName } from '../../query/formats.ts'
import { type ImportFile, type ImportResult, RejectedRows } from '../../transfer/imports.ts'
import { rowLines } from '../../transfer/row-reader.ts'
import { type ApiClient, appErrorOf, withApi } from '../api-client.ts'
import { isWorkbook, readMapFile, workbookText } from '../import-files.ts'
import type { Io } from '../io.ts'
import { withModelSuggestion } from '../model-requests.ts'
import { type RemoteOptions, withCodeOption, withRemoteOptions } from '../remote.ts'
import { counted } from '../style.ts'
import { withUploadedPaths } from '../uploaded-paths.ts'

interface ImportOptions extends RemoteOptions {
  readonly format?: Format
  readonly dryRun?: boolean
  readonly upsertBy?: string
  readonly form?: string
  readonly delimiter?: DelimiterName
  /** Name of a file. */
  readonly map?: string
  readonly locale?: string
  readonly sheet?: string
  readonly keepIds?: boolean
  /** False with `--no-code`. */
  readonly code: boolean
  readonly json?: boolean
}

const NOTES = `
A file field takes a path relative to the folder of the file, which must stay inside it, or {"path", "name", "alt"} as JSON; several
files are an array, or paths with semicolons between them. The files are uploaded first. A dry run uploads them, too, and removes them.`

const MAP_NOTES = `
With --map or --locale, and from XLSX, columns may have the labels of fields, and cells the labels of choices and the names of related records.
A map has the members columns, dates, numbers, locale, time_zone and constants:
  columns: { Customer: customer_id, "Order no.": number, Remark: null }
  dates: dd.mm.yyyy
  numbers: 1.234,56`

const EXAMPLES = `
Examples:
  $ admin import post posts.csv --dry-run
  $ admin import post posts.csv --upsert-by slug --form PostForm
  $ admin import post posts.xlsx --map posts.map.yaml
  $ admin import post beitraege.csv --locale de
  $ admin export post --files -o copy/post.csv && admin import post copy/post.csv --project other
  $ admin export post --format json | admin import post - --format json --keep-ids --project copy
`

/** `admin import`: creates or updates records from a file, all or none. Works beside a running server. */
export function importCommand(io: Io): Command {
  return withCodeOption(withRemoteOptions(new Command('import').description('create or update records from a file, all or none')))
    .argument('<model>', 'model to import into, such as post')
    .argument('<file>', 'CSV, JSON, NDJSON or XLSX file, or - for stdin')
    .addOption(new Option('--format <format>', 'format of the file (default: by its extension)').choices(FORMATS))
    .addOption(
      new Option('--delimiter <name>', 'delimiter of a CSV file (default: found in its header)').choices(Object.keys(DELIMITERS)),
    )
    .option('--map <file>', 'YAML or JSON that says which fields the columns are, and how days and numbers are written')
    .option('--locale <code>', 'language of days and numbers in the file, such as de')
    .option('--sheet <name>', 'sheet of an XLSX file (default: the first with records)')
    .option('--dry-run', 'validate the file and report the result without changing anything')
    .option('--upsert-by <field>', 'unique field: records with the same value in it are updated')
    .option('--form <name>', 'validate records with this form')
    .option('--keep-ids', 'keep id, created_at and updated_at of the file; only while no server runs')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', NOTES)
    .addHelpText('after', MAP_NOTES)
    .addHelpText('after', EXAMPLES)
    .action(async (model: string, file: string, options: ImportOptions) => {
      const format = formatOf(file, options)
      if (options.sheet !== undefined && !isWorkbook(file)) throw new AppError('USAGE', '--sheet is for XLSX files')
      if (options.keepIds === true && options.upsertBy !== undefined) {
        throw new AppError('USAGE', '--keep-ids is for new records, --upsert-by for existing ones; use one of them')
      }
      const outcome = await withApi(io, options, (api) =>
        withModelSuggestion(api, model, () => importFile(api, model, { file, format }, options, io)),
      )
      if (options.json === true) io.stdout.write(`${JSON.stringify(outcome)}\n`)
      printSummary(outcome, options, io)
    })
}

/** @throws {AppError} USAGE */
function formatOf(file: string, { format }: ImportOptions): Format {
  const found = format ?? (isWorkbook(file) ? 'ndjson' : formatOfName(file))
  if (found !== undefined) return found
  const source = file === STDIN ? 'stdin' : file
  throw new AppError('USAGE', `The format of ${source} is unknown; add --format ${FORMATS.join('|')}`)
}

async function importFile(
  api: ApiClient,
  model: string,
  { file, format }: { file: string; format: Format },
  options: ImportOptions,
  io: Io,
): Promise<ImportResult> {
  if (api.app === undefined && options.keepIds === true)
    throw new AppError('TASK_FAILED', 'A running server assigns ids itself; stop it to import with --keep-ids')
  const { delimiter, dryRun = false, sheet } = options
  // Sheets are written for people, as exports with labels are.
  const map = options.map === undefined ? (isWorkbook(file) ? {} : undefined) : await readMapFile(io.cwd, options.map)
  const { open, close } = isWorkbook(file) ? inputText(await workbookText(io, file, sheet)) : await inputFile(file, io)
  const folder = file === STDIN ? undefined : dirname(resolve(io.cwd, file))
  try {
    return await io.interruptibly((signal) =>
      withUploadedPaths({ api, io, model, signal, isKept: !dryRun }, { format, delimiter, folder, open, map }, (content) =>
        sendFile(api, model, { format, open: content }, { ...options, map }),
      ),
    )
  } catch (error) {
    throw await withPositions(appErrorOf(error), file, async () =>
      rowLines(format, await buffer(Readable.from(open())), delimiter),
    )
  } finally {
    await close()
  }
}

async function sendFile(
  { app, client }: ApiClient,
  model: string,
  { format, open }: ImportFile,
  options: Omit<ImportOptions, 'map'> & { readonly map: unknown },
): Promise<ImportResult> {
  const { dryRun = false, upsertBy, form: formId, delimiter, map, locale, keepIds = false, code } = options
  if (app !== undefined) {
    const given = { dryRun, upsertBy, formId, delimiter, map, locale, keepIds, withoutCode: !code }
    return app.imports.run(SHELL, model, { format, open }, given)
  }
  const sent = await buffer(Readable.from(open()))
  return client.model(model).import(new Uint8Array(sent), {
    ...{ format, dry_run: dryRun, upsert_by: upsertBy, form_id: formId, delimiter, locale },
    // The server checks it.
    map: map as ImportMap | undefined,
  })
}

/**
 * Adds the position in the file to each message: `posts.csv:4: title is mandatory`.
 *
 * @param linesOf finds the lines of the rows of a file that a server has rejected, which names rows only
 */
async function withPositions(error: unknown, file: string, linesOf: () => Promise<readonly number[]>): Promise<unknown> {
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall !== undefined) return new AppError('TASK_FAILED', `${file} cannot be read: ${message}`)
  // Validation errors of a server arrive as TASK_FAILED with messages by field, since they have no code of their own.
  const isByRow = error instanceof AppError && ['VALIDATION_FAILED', 'TASK_FAILED'].includes(error.code)
  if (!isByRow || typeof error.details === 'string') return error
  const found = error instanceof RejectedRows ? undefined : await linesOf()
  const lineOf = error instanceof RejectedRows ? error.lineOf : (row: number) => found?.[row - 1]
  const lines = Object.entries(error.details).flatMap(([key, messages]) => {
    const row = Number(/^(\d+)\./.exec(key)?.[1])
    const line = lineOf(row)
    const position = Number.isNaN(row) ? file : line === undefined ? `${file}: row ${row}` : `${file}:${line}`
    return messages.map((each) => `${position}: ${each}`)
  })
  return new AppError('VALIDATION_FAILED', lines.join('\n'))
}

function printSummary({ created, updated, total, ignored }: ImportResult, { dryRun = false }: ImportOptions, io: Io): void {
  const records = counted(total, 'record')
  const parts = updated === 0 ? '' : ` (${created} created, ${updated} updated)`
  io.stderr.write(dryRun ? `${records} would be imported${parts}; nothing was changed\n` : `Imported ${records}${parts}\n`)
  if (ignored.length > 0) io.stderr.write(`Ignored columns, which the server sets: ${ignored.join(', ')}\n`)
}

/** Stands for standard input in place of a file name. */
const STDIN = '-'

/** A file that is read by a command, maybe several times. */
interface InputFile {
  /** Begins to read it. */
  open(): AsyncIterable<Uint8Array | string>
  /** Removes the copy of standard input. */
  close(): Promise<void>
}

/** A text that is read in the place of a file. */
const inputText = (text: string): InputFile => ({
  async *open() {
    yield text
  },
  async close() {},
})

/** A file by its name, or a copy of standard input in a folder that only its owner may read. */
async function inputFile(name: string, io: Io): Promise<InputFile> {
  if (name !== STDIN) return { open: () => createReadStream(resolve(io.cwd, name)), async close() {} }
  const folder = await mkdtemp(join(tmpdir(), 'admin-import-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const copy = join(folder, 'stdin')
  try {
    await writeFile(copy, io.stdin, { mode: 0o600 })
  } catch (error) {
    await close()
    throw error
  }
  return { open: () => createReadStream(copy), close }
}
