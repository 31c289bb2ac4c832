import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { SHELL } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { FORMATS, type Format, formatOfName, MEDIA_TYPES } from '../../query/formats.ts'
import { type Imported, RefusedRows } from '../../transfer/imports.ts'
import { type ApiClient, withApi } from '../api/api-client.ts'
import { Upload } from '../api/api-requests.ts'
import { aboutModel } from '../api/described-models.ts'
import { type RemoteOptions, withRemoteOptions } from '../api/remote.ts'
import type { Io } from '../terminal/io.ts'

interface ImportOptions extends RemoteOptions {
  readonly format?: Format
  readonly dryRun?: boolean
  readonly upsertBy?: string
  readonly form?: string
  readonly keepIds?: boolean
  readonly json?: boolean
}

const STDIN = '-'

const EXAMPLES = `
Examples:
  $ admin import post posts.csv --dry-run
  $ admin import post posts.csv --upsert-by slug --form PostForm
  $ admin export post --format json | admin import post - --format json --keep-ids --project copy
`

/** `admin import`: creates or updates records from a file, all or none. Beside a running server it asks that server. */
export function importCommand(io: Io): Command {
  return withRemoteOptions(new Command('import').description('create or update records from a file, all or none'))
    .argument('<model>', 'whose records, such as post')
    .argument('<file>', 'a file as `admin export` writes it, or - for stdin')
    .addOption(new Option('--format <format>', 'what the file is (default: what its name ends in)').choices(FORMATS))
    .option('--dry-run', 'find out what would come of it, and change nothing')
    .option('--upsert-by <field>', 'a unique field: records that have the same in it are updated')
    .option('--form <name>', 'the form to hold the records to')
    .option('--keep-ids', 'take ids, created_at and updated_at as the file has them; while no server runs')
    .option('--json', 'print what came of it as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (model: string, file: string, options: ImportOptions) => {
      const format = formatOf(file, options)
      if (options.keepIds === true && options.upsertBy !== undefined) {
        throw new AppError('USAGE', '--keep-ids is for records that are new, --upsert-by for those that are there; choose one')
      }
      const outcome = await withApi(io, options, (client) =>
        aboutModel(client, model, () => importFile(client, model, { file, format }, options, io)),
      )
      if (options.json === true) io.stdout.write(`${JSON.stringify(outcome)}\n`)
      tell(outcome, options, io)
    })
}

/** @throws {AppError} USAGE */
function formatOf(file: string, { format }: ImportOptions): Format {
  const found = format ?? formatOfName(file)
  if (found !== undefined) return found
  const what = file === STDIN ? 'Say what stdin is' : `Say what ${file} is`
  throw new AppError('USAGE', `${what}, by --format ${FORMATS.join('|')}`)
}

async function importFile(
  { app, request }: ApiClient,
  model: string,
  { file, format }: { file: string; format: Format },
  { dryRun = false, upsertBy, form: formId, keepIds = false }: ImportOptions,
  io: Io,
): Promise<Imported> {
  const content = file === STDIN ? io.stdin : createReadStream(resolve(io.cwd, file))
  try {
    if (app !== undefined) return await app.imports.run(SHELL, model, { format, content }, { dryRun, upsertBy, formId, keepIds })
    if (keepIds) throw new AppError('TASK_FAILED', 'A running server gives ids itself; stop it to import with --keep-ids')
    const query = new URLSearchParams({ dry_run: String(dryRun) })
    if (upsertBy !== undefined) query.set('upsert_by', upsertBy)
    if (formId !== undefined) query.set('form_id', formId)
    return await request(
      'POST',
      `/models/${encodeURIComponent(model)}/import?${query}`,
      new Upload(MEDIA_TYPES[format], await buffer(content)),
    )
  } catch (error) {
    throw placed(error, file)
  }
}

/** Says of each fault where it is: `posts.csv:4: title is mandatory`. */
function placed(error: unknown, file: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall !== undefined) return new AppError('TASK_FAILED', `${file} cannot be read: ${message}`)
  // What a server says by fields has no code of its own.
  const isByRow = error instanceof AppError && ['VALIDATION_FAILED', 'TASK_FAILED'].includes(error.code)
  if (!isByRow || typeof error.details === 'string') return error
  const lineOf = error instanceof RefusedRows ? error.lineOf : () => undefined
  const lines = Object.entries(error.details).flatMap(([key, messages]) => {
    const row = Number(/^(\d+)\./.exec(key)?.[1])
    const line = lineOf(row)
    const place = Number.isNaN(row) ? file : line === undefined ? `${file}: row ${row}` : `${file}:${line}`
    return messages.map((each) => `${place}: ${each}`)
  })
  return new AppError('VALIDATION_FAILED', lines.join('\n'))
}

function tell({ created, updated, total, ignored }: Imported, { dryRun = false }: ImportOptions, io: Io): void {
  const records = `${total} ${total === 1 ? 'record' : 'records'}`
  const parts = updated === 0 ? '' : ` (${created} created, ${updated} updated)`
  io.stderr.write(dryRun ? `${records} would be imported${parts}; nothing was changed\n` : `Imported ${records}${parts}\n`)
  if (ignored.length > 0) io.stderr.write(`Not taken from the file, since the server sets them: ${ignored.join(', ')}\n`)
}
