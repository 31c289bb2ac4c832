import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { blobsIn, filesFolder } from '../../app/embedded-stores.ts'
import { databaseFiles, dataFolderOf } from '../../app/open-store.ts'
import { blobsOf } from '../../app/postgres-store.ts'
import { SESSIONS } from '../../auth/account-models.ts'
import type { PostgresSettings } from '../../config/settings.ts'
import { POSTGRES_DEFAULTS, postgresPlace, postgresUrlProblem } from '../../config/store-settings.ts'
import { AppError } from '../../errors.ts'
import { noData } from '../../project/broken-records.ts'
import type { Project } from '../../project/project.ts'
import type { CopiedBlobs } from '../../store/copies/copied-files.ts'
import { copyToEmbedded } from '../../store/copies/copy-to-embedded.ts'
import { type CopyReport, copyToPostgres } from '../../store/copies/copy-to-postgres.ts'
import { holdsData } from '../../store/embedded/files/recovery.ts'
import { PgDatabase } from '../../store/postgres/connection/pg-database.ts'
import { Layout } from '../../store/postgres/layout/layout.ts'
import { applySchema, isAutomatic, planOf, releaseIn } from '../../store/postgres/schema/migration.ts'
import { describePlan, planJson } from '../../store/postgres/schema/plan.ts'
import type { Step } from '../../store/postgres/schema/plan-draft.ts'
import { livingProcesses } from '../../store/postgres/shared/processes.ts'
import { formatBytes } from '../../util/bytes.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, withProject, withProjectOptions } from '../project-options.ts'
import { counted, table } from '../style.ts'

interface MigrateOptions extends ProjectOptions {
  readonly plan?: true
  readonly apply?: true
  readonly allowDestructive?: true
  readonly to?: string
  readonly format: 'text' | 'json'
}

/** Maximum time of a statement of a migration, in milliseconds: a large table may take hours. */
const STATEMENT_TIMEOUT = 24 * 3_600_000

const HELP = `
--plan exits 0 if a start would apply the plan by itself, or there is none, and 1 if \`--apply\` is needed. --apply exits 1 if rows
are in the way; then nothing is changed. --to copies records and the bytes of their files. It exits 1 if a count or checksum differs, or the
bytes of a file are missing or damaged; then no records are copied.

Examples:
  $ admin migrate --plan
  $ admin migrate --apply
  $ admin migrate --to postgres://admin@db.example.com/shop
`

/** `admin migrate`: brings a PostgreSQL database to what the models define, and copies a project to and from one. */
export function migrateCommand(io: Io): Command {
  return withProjectOptions(
    new Command('migrate').description('bring a PostgreSQL database to the models, or copy the data to or from one'),
  )
    .option('--plan', 'print the steps as SQL, and change nothing (the default)')
    .option('--apply', 'apply the steps')
    .option('--allow-destructive', 'with --apply: drop tables and columns that no model has, with their values')
    .option('--to <url>', 'copy the data folder into an empty database; `embedded` copies the database into an empty data folder')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', HELP)
    .action((options: MigrateOptions) => withProject(io, projectOnly(options), (project) => run(io, options, project)))
}

/** Options for loading the project. `--data` would be a fault beside a `store`; only a copy uses both, and reads `--data` itself. */
const projectOnly = ({ project }: MigrateOptions): ProjectOptions => (project === undefined ? {} : { project })

async function run(io: Io, options: MigrateOptions, project: Project): Promise<void> {
  const chosen = [options.plan && '--plan', options.apply && '--apply', options.to && '--to'].filter(Boolean)
  if (chosen.length > 1) throw new AppError('USAGE', `Use only one of ${chosen.join(' and ')}`)
  if (options.allowDestructive && !options.apply) throw new AppError('USAGE', '--allow-destructive needs --apply')
  if (options.data !== undefined && options.to === undefined) throw new AppError('USAGE', '--data needs --to')
  if (options.to !== undefined) return copy(io, options, project, options.to)
  const settings = postgresOf(project)
  await withDatabase(settings, async (database) => {
    const layout = new Layout(project.registry, settings.schema)
    if (options.apply) {
      const steps = await applySchema(database, layout, { allowDestructive: options.allowDestructive === true })
      print(io, options, { steps, unused: [] }, describeApplied(steps))
      const broken = steps.some((step) => step.breaks !== undefined || (options.allowDestructive && step.class === 'destructive'))
      const others = broken ? await livingProcesses(database, layout) : 0
      if (others > 0)
        io.stderr.write(`${serving(others)} since before; restart those of an earlier release, which answer 503 now\n`)
      return
    }
    const plan = await planOf(database, layout)
    print(io, options, plan, describePlan(plan))
    const release = await releaseIn(database, layout)
    const others = plan.steps.some(({ breaks }) => breaks !== undefined) ? await livingProcesses(database, layout) : 0
    const comments =
      plan.comments.length === 0 ? '' : ' but for comments; a start makes them with other steps, `admin migrate --apply` now'
    if (plan.steps.length === 0) io.stderr.write(`${postgresPlace(settings)} is up to date${comments}\n`)
    else if (release === 'earlier') io.stderr.write(`${EARLIER}\n`)
    else if (others > 0) {
      throw new AppError(
        'MIGRATION_NEEDED',
        `${serving(others)}, so a start does not apply these steps; see docs/postgresql.md, Deploys`,
      )
    } else if (!isAutomatic(plan, settings.migrate)) {
      throw new AppError('MIGRATION_NEEDED', 'A start does not apply these steps; apply them with `admin migrate --apply`')
    } else io.stderr.write('A start applies these steps by itself; `admin migrate --apply` applies them now\n')
  })
}

/** Said where the models are those of an earlier release. */
const EARLIER =
  'The models are those of an earlier release: a start applies nothing and serves the tables as they are; `admin migrate --apply` goes back'

const serving = (others: number): string => `${counted(others, 'process serves', 'processes serve')} the database`

function print(io: Io, { format }: MigrateOptions, plan: Parameters<typeof planJson>[0], text: string): void {
  if (format === 'json') io.stdout.write(`${JSON.stringify(planJson(plan), null, 2)}\n`)
  else if (text !== '') io.stdout.write(`${text}\n`)
}

const describeApplied = (steps: readonly Step[]): string =>
  steps.length === 0 ? 'There was nothing to apply' : steps.map((step) => `${step.class}: ${step.reason}`).join('\n')

/** @throws {AppError} USAGE */
function postgresOf({ settings: { store } }: Project): PostgresSettings {
  if (store !== 'embedded') return store
  const remedy = 'set `store` or ADMIN_STORE to a URL such as postgres://user@host:5432/database'
  throw new AppError(
    'USAGE',
    `The project keeps its records in files, which need no migration; ${remedy}, or name a database with --to`,
  )
}

async function withDatabase<T>({ url }: PostgresSettings, use: (database: PgDatabase) => Promise<T>): Promise<T> {
  const database = new PgDatabase(url, { pool: 2, statementTimeout: STATEMENT_TIMEOUT })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

const WITHOUT: ReadonlySet<string> = new Set([SESSIONS])

async function copy(io: Io, options: MigrateOptions, project: Project, to: string): Promise<void> {
  const folder = options.data === undefined ? dataFolderOf(project) : resolve(io.cwd, options.data)
  const settings = to === 'embedded' ? postgresOf(project) : targetOf(project, to)
  const layout = new Layout(project.registry, settings.schema)
  const report = await withDatabase(settings, async (database) => {
    const blobs: CopiedBlobs = {
      folder: blobsIn(filesFolder(folder)),
      inDatabase: (target) => blobsOf(target, layout, databaseFiles(project, folder)),
    }
    if (to === 'embedded') return copyToEmbedded({ folder, database, layout, blobs, without: WITHOUT })
    if (!(await holdsData(folder))) throw noData(folder)
    return copyToPostgres({ folder, database, layout, blobs, without: WITHOUT })
  })
  if (options.format === 'json') io.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  else io.stdout.write(describeCopy(report))
  for (const { table: name, records } of report.leftBehind) {
    const left = counted(records, `record of '${name}' was`, `records of '${name}' were`)
    io.stderr.write(`Warning: ${left} not copied, since there is no such model\n`)
  }
  const [from, target] = to === 'embedded' ? [postgresPlace(settings), folder] : [folder, postgresPlace(settings)]
  const { files, contents, bytes } = report.files
  const withFiles =
    files === 0 ? '' : `, with ${counted(files, 'file')}, ${counted(contents, 'content')} of ${formatBytes(bytes)}`
  io.stderr.write(
    `Copied ${from} to ${target}${withFiles}; counts and checksums are equal. Sessions are not copied: users log in again\n`,
  )
}

function targetOf({ settings: { store } }: Project, url: string): PostgresSettings {
  const problem = postgresUrlProblem(url)
  if (problem !== undefined) throw new AppError('USAGE', `--to ${problem}, or 'embedded'`)
  return { ...POSTGRES_DEFAULTS, ...(store === 'embedded' ? {} : store), url }
}

function describeCopy({ models }: CopyReport): string {
  const rows = models.map(({ model, records, nextId, checksum }) => [model, String(records), String(nextId), checksum])
  return table(['MODEL', 'RECORDS', 'NEXT ID', 'SHA-256'], rows)
}
