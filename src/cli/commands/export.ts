import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { App } from '../../app.ts'
import { SYSTEM } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { DEFAULT_FORMAT, FORMATS, type Format } from '../../query/formats.ts'
import type { ExportedFile } from '../../transfer/exports.ts'
import { type Io, writeAll } from '../io.ts'
import { withProgress } from '../progress.ts'
import { modelNamed, type ProjectOptions, withApp, withProjectOptions } from '../project-options.ts'
import { refuseExisting, writeWholeFile } from '../whole-file.ts'

interface ExportOptions extends ProjectOptions {
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
`

/** `admin export`: writes records into files, or to stdout. Works beside a running server. */
export function exportCommand(io: Io): Command {
  return withProjectOptions(new Command('export').description('write records as CSV, JSON or NDJSON'))
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
      return withApp(io, options, 'read', (app) =>
        model === undefined ? exportAll(app, options, io) : exportOne(app, model, options, io),
      )
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

async function exportOne(app: App, modelKey: string, options: ExportOptions, io: Io): Promise<void> {
  const { key } = modelNamed(app.project.registry, modelKey)
  const { output, force = false } = options
  const path = output === undefined ? undefined : resolve(io.cwd, output)
  // Before the work rather than after it.
  if (path !== undefined) await refuseExisting(path, { shown: output ?? path, force })
  const file = await app.exports.open(SYSTEM, key, queryOf(options))
  if (path === undefined) await writeAll(io.stdout, file.text)
  else await writeFile(app, key, file, path, { shown: output ?? path, force }, io)
}

async function exportAll(app: App, options: ExportOptions, io: Io): Promise<void> {
  const { output = '.', force = false } = options
  const folder = resolve(io.cwd, output)
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${output} cannot be written into: ${error.message}`)
  })
  const files = app.project.registry.public.map(({ key }) => {
    const name = `${key}.${options.format}`
    return { key, path: join(folder, name), shown: join(output, name) }
  })
  for (const { path, shown } of files) await refuseExisting(path, { shown, force })
  for (const { key, path, shown } of files) {
    await writeFile(app, key, await app.exports.open(SYSTEM, key, queryOf(options)), path, { shown, force }, io)
  }
}

async function writeFile(
  app: App,
  key: string,
  file: ExportedFile,
  path: string,
  { shown, force }: { shown: string; force: boolean },
  io: Io,
): Promise<void> {
  const { records } = await app.store.status()
  await writeWholeFile(path, withProgress(io, key, records.get(key) ?? 0, file.written, file.text), { shown, force })
  const count = file.written()
  io.stderr.write(`Wrote ${count} ${count === 1 ? 'record' : 'records'} to ${shown}\n`)
}

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
