import { AppError } from '../../../errors.ts'
import { systemTimer, type Timer } from '../../../util/clock.ts'
import { type Connection, type Database, isLockTimeout, isTransient, StatementError } from '../connection/database.ts'
import { SYSTEM_PREFIX } from '../layout/column.ts'
import type { Layout } from '../layout/layout.ts'
import { livingProcesses } from '../shared/processes.ts'
import { joined, literal, type Sql, sql } from '../sql.ts'
import { type HistoryRename, readState, recordStatements, trigramsSchema, UNFINISHED } from './catalog.ts'
import { lastEntry, renameInHistory } from './history-renames.ts'
import { currentFingerprint, describePlan, planSchema, type SchemaPlan } from './plan.ts'
import type { Step } from './plan-draft.ts'
import { type StoreMigration, storeVersion } from './store-migrations.ts'
import { TableCheck } from './table-check.ts'

/** `additive`: a start applies additive steps; `never`: a start applies none. */
type MigrateMode = 'additive' | 'never'

/** The difference between a database and the models. Reads only, in one transaction. */
export function planOf(database: Database, layout: Layout): Promise<SchemaPlan> {
  return database.transaction((connection) => planSchema(connection, layout), { isolation: 'repeatable read', readOnly: true })
}

/** True if a start applies the plan by itself. */
export const isAutomatic = ({ steps }: SchemaPlan, mode: MigrateMode): boolean =>
  steps.length === 0 || (mode === 'additive' && steps.every((step) => step.class === 'additive'))

/** Options of `applySchema`. */
interface ApplyOptions {
  /** Drops tables and columns that no model has, with their values. Otherwise they are kept, unused. */
  readonly allowDestructive?: boolean
  /** Rejects a plan that the caller does not want; called before anything is changed. */
  readonly check?: (plan: SchemaPlan) => void
  /** True for a start, which breaks no process of an earlier release. */
  readonly isStart?: boolean
  /** Name of this process among those that serve the database, if it serves it already. */
  readonly process?: string | undefined
  /** Migrations of the store, replaced in tests. */
  readonly migrations?: readonly StoreMigration[]
  /** How long steps wait for tables that other sessions have locked; about half a minute by default. */
  readonly lockWaits?: LockWaits
  readonly timer?: Timer
}

/**
 * Brings a database to what the models define: in one transaction, one process at a time. Indexes of large tables are built afterwards,
 * while the tables can be written to. A step waits for a locked table a short time only, since all others on the table wait behind it.
 *
 * @returns the steps that were applied
 * @throws {AppError} MIGRATION_NEEDED if rows are in the way, TASK_FAILED if a step fails or a table stays locked; then nothing is changed
 */
export async function applySchema(database: Database, layout: Layout, options: ApplyOptions = {}): Promise<readonly Step[]> {
  const { lockWaits = LOCK_WAITS, timer = systemTimer } = options
  const apply = () =>
    database.transaction(async (connection) => {
      await lockSchema(connection, layout)
      await limitLockWaits(connection, lockWaits)
      const plan = await planSchema(connection, layout, options.migrations)
      options.check?.(plan)
      await rejectBreaking(connection, layout, plan, options)
      rejectRowsInTheWay(plan)
      return execute(connection, layout, plan, options)
    })
  const steps = await untilUnlocked(database, layout, lockWaits, timer, apply)
  const later = steps.filter(({ isConcurrent }) => isConcurrent)
  if (later.length > 0) await finish(database, layout, later)
  return steps
}

/** Errors of an index that another process has just built or dropped. */
const BY_ANOTHER: ReadonlySet<string> = new Set(['23505', '42704', '42P07'])

/** Executes the steps that follow the transaction. If that is interrupted, the next start makes a plan, and executes those that are left. */
async function finish(database: Database, layout: Layout, steps: readonly Step[]): Promise<void> {
  for (const { history, statements } of steps) {
    if (history !== undefined) await renameInHistory(database, layout, history)
    else for (const statement of statements) await buildIndex(database, statement)
  }
  await database.transaction(async (connection) => {
    await lockSchema(connection, layout)
    const plan = await planSchema(connection, layout)
    const isDone = plan.steps.every(({ history }) => history !== undefined && steps.some((step) => isSame(step, history)))
    if (isDone && !plan.isBuilding) await record(connection, layout, plan.recorded, plan.state)
  })
}

const isSame = ({ history }: Step, { model, field, was }: HistoryRename): boolean =>
  history?.model === model && history.field === field && history.was === was

async function buildIndex(database: Database, statement: Sql): Promise<void> {
  await database.query(statement).catch((error: unknown) => {
    if (!(error instanceof StatementError && BY_ANOTHER.has(error.code))) throw error
  })
}

/** Replaces the applied definitions. */
export async function record(
  connection: Connection,
  layout: Layout,
  recorded: SchemaPlan['recorded'],
  state: SchemaPlan['state'],
): Promise<void> {
  for (const statement of recordStatements(layout, recorded, state)) await connection.query(statement)
}

/** @throws {AppError} MIGRATION_NEEDED if a database differs from the models */
export function rejectSteps(plan: Pick<SchemaPlan, 'steps' | 'unused'>): void {
  if (plan.steps.length === 0) return
  const what = 'The database differs from the models; apply the steps first, with `admin migrate --apply`'
  throw new AppError('MIGRATION_NEEDED', `${what}:\n${describePlan(plan)}`)
}

/** Taken for the transaction, so that a pooler may stand between. Another process waits here until the first has committed. */
export async function lockSchema(connection: Connection, { schema }: Layout): Promise<void> {
  await connection.query(sql`set local statement_timeout = 0`)
  await connection.query(sql`select pg_advisory_xact_lock(hashtextextended(${`admin-folder schema ${schema}`}, 0))`)
}

async function execute(
  connection: Connection,
  layout: Layout,
  plan: SchemaPlan,
  { allowDestructive = false, isStart = false }: ApplyOptions,
): Promise<readonly Step[]> {
  const comments = isStart && plan.steps.length === 0 ? [] : plan.comments
  const steps = [...plan.steps, ...(allowDestructive ? plan.unused : []), ...comments]
  const immediate = steps.filter(({ isConcurrent }) => isConcurrent !== true)
  await executeSteps(connection, [...lockingStep(plan), ...immediate], allowDestructive)
  const recorded = allowDestructive ? withoutUnused(plan) : plan.recorded
  const state = (await readState(connection, layout))?.fingerprint
  if (steps.length === 0 && state === plan.state.fingerprint) return steps
  if (!plan.isBuilding && immediate.length === steps.length) {
    await record(connection, layout, recorded, plan.state)
    return steps
  }
  const renames = steps.flatMap(({ history }) => history ?? [])
  // The tables are locked, so that later entries have the present names.
  const upTo = renames.length === 0 ? 0 : await lastEntry(connection, layout)
  const pending = renames.map((rename) => ({ upTo, ...rename }))
  await record(connection, layout, recorded, { ...plan.state, fingerprint: UNFINISHED, renames: pending })
  return steps.map((step) => (step.history === undefined ? step : { ...step, history: { upTo, ...step.history } }))
}

/** Locks all tables at once, so that no writer of several has one while a step waits for it and keeps another. */
const lockingStep = ({ locked }: SchemaPlan): Pick<Step, 'class' | 'reason' | 'statements'>[] =>
  locked.length === 0
    ? []
    : [
        {
          class: 'additive',
          reason: 'Locks of the tables that change',
          statements: [sql`lock table ${joined(locked)} in access exclusive mode`],
        },
      ]

/**
 * Executes steps in a transaction.
 *
 * @throws {AppError} TASK_FAILED naming the step that failed
 */
export async function executeSteps(
  connection: Connection,
  steps: readonly Pick<Step, 'class' | 'reason' | 'statements' | 'keep'>[],
  allowDestructive = false,
): Promise<void> {
  for (const { class: kind, reason, statements, keep = [] } of steps) {
    const isKept = kind === 'destructive' && !allowDestructive
    for (const statement of isKept ? keep : statements) {
      await connection.query(statement).catch((error: unknown) => {
        if (!(error instanceof StatementError)) throw error
        throw new AppError('TASK_FAILED', `${reason}: ${error.message} (${statement.compile().text})`, { cause: error })
      })
    }
  }
}

function withoutUnused({ recorded }: SchemaPlan): SchemaPlan['recorded'] {
  const used = [...recorded].filter(([, { isUnused }]) => isUnused !== true)
  return new Map(
    used.map(([name, table]) => {
      const columns = Object.entries(table.columns).filter(([, { isUnused }]) => isUnused !== true)
      return [name, { ...table, columns: Object.fromEntries(columns) }]
    }),
  )
}

/** @throws {AppError} MIGRATION_NEEDED if the plan has steps that wait for the end of other processes */
async function rejectBreaking(connection: Connection, layout: Layout, plan: SchemaPlan, options: ApplyOptions): Promise<void> {
  const { isStart = false, process } = options
  const breaking = plan.steps.filter(({ breaks }) => breaks === 'values' || (isStart && breaks !== undefined))
  if (breaking.length === 0) return
  const others = await livingProcesses(connection, layout, process)
  if (others === 0) return
  const serve = others === 1 ? 'Another process serves' : `${others} other processes serve`
  const isForced = isStart && breaking.every(({ breaks }) => breaks === 'names')
  const remedy = `end ${others === 1 ? 'it' : 'them'} first${isForced ? ', or apply the steps with `admin migrate --apply`' : ''} (a process that was killed counts for up to a minute)`
  const steps = describePlan({ steps: breaking, unused: [] })
  throw new AppError('MIGRATION_NEEDED', `${serve} the database, and could not go on after these steps; ${remedy}:\n${steps}`)
}

/** @throws {AppError} MIGRATION_NEEDED */
function rejectRowsInTheWay(plan: SchemaPlan): void {
  const blocked = plan.steps.filter(({ rows }) => (rows?.count ?? 0) > 0)
  if (blocked.length === 0) return
  const what = `Rows are in the way of ${blocked.length === 1 ? 'a step' : `${blocked.length} steps`}; correct them, and try again`
  throw new AppError('MIGRATION_NEEDED', `${what}:\n${describePlan({ ...plan, steps: blocked, unused: [] })}`)
}

/** Options of `prepareSchema`. */
interface PrepareOptions extends Pick<ApplyOptions, 'process' | 'migrations'> {
  /** Called if the models are those of an earlier release: the tables stay as a later one has made them. */
  readonly onEarlier?: () => void
}

/**
 * Prepares a database for a store: applies the steps that the mode allows. If the models are those of an earlier release, nothing is
 * applied: a later release has brought the tables to its models, and its processes may live.
 *
 * @returns the steps that were applied
 * @throws {AppError} MIGRATION_NEEDED with the plan, if others are needed, and if an earlier release cannot use the tables
 */
export async function prepareSchema(
  database: Database,
  layout: Layout,
  mode: MigrateMode,
  { onEarlier = () => {}, ...options }: PrepareOptions = {},
): Promise<readonly Step[]> {
  const release = await releaseIn(database, layout, options.migrations)
  if (release === 'present') return []
  if (release === 'earlier') {
    const mismatches = await new TableCheck(layout).mismatches(database)
    if (mismatches.length > 0) throw cannotGoBack(mismatches)
    onEarlier()
    return []
  }
  return applySchema(database, layout, {
    ...options,
    isStart: true,
    check(plan) {
      if (isAutomatic(plan, mode)) return
      const what = mode === 'never' ? 'The setting `migrate: never` allows no step' : 'A start applies additive steps only'
      const remedy = 'run `admin migrate --plan`, and then `admin migrate --apply`'
      throw new AppError('MIGRATION_NEEDED', `The database differs from the models. ${what}; ${remedy}:\n${describePlan(plan)}`)
    },
  })
}

const cannotGoBack = (mismatches: readonly string[]): AppError =>
  new AppError(
    'MIGRATION_NEEDED',
    `A later release has changed the tables, and this one cannot use them: ${mismatches.join('; ')}. Start the later release; to go back to this one, run \`admin migrate --plan\`, and then \`admin migrate --apply\``,
  )

/**
 * Compares the models with what was applied. Does not look at the tables themselves.
 *
 * @returns `present` if they define what was applied last, `earlier` if they define what was applied before, `other` otherwise
 */
export async function releaseIn(
  database: Database,
  layout: Layout,
  migrations?: readonly StoreMigration[],
): Promise<'present' | 'earlier' | 'other'> {
  const names = ['definitions', 'migrations'].map((name) => SYSTEM_PREFIX + name)
  const { rows } = await database.query(
    sql`select ${trigramsSchema}, "c"."relname" from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
      where "n"."nspname" = ${layout.schema} and "c"."relname" = any(${names}::text[])`,
  )
  const [row] = rows
  if (row === undefined || !rows.some(([, name]) => name === names[0])) return 'other'
  const { missing } = await storeVersion(database, layout, rows.length === names.length, migrations)
  const state = await readState(database, layout)
  const fingerprint = currentFingerprint(layout, row[0] ?? undefined)
  if (missing.length > 0) return 'other'
  if (state?.former?.includes(fingerprint)) return 'earlier'
  return state?.fingerprint === fingerprint ? 'present' : 'other'
}

/** How long the steps of a migration wait for the locks of other sessions. */
export interface LockWaits {
  /** Milliseconds that a step waits. Later statements of all sessions on the table wait behind it as long. */
  readonly timeout: number
  /** Milliseconds before each further attempt, in which those statements are executed. One item for each further attempt. */
  readonly pauses: readonly number[]
}

/** About half a minute in all. */
export const LOCK_WAITS: LockWaits = { timeout: 2000, pauses: [1000, 2000, 4000, 8000] }

/** Maximum number of sessions that an error names. */
const MAX_NAMED = 5

/** Bounds the waits for locks in the present transaction. */
export const limitLockWaits = (connection: Connection, { timeout }: LockWaits) =>
  connection.query(sql`set local lock_timeout = ${literal(timeout)}`)

/**
 * Runs a transaction of steps, again after a pause if a table was locked by another session. What the transaction has locked is free meanwhile.
 *
 * @throws {AppError} TASK_FAILED naming the tables and the sessions that keep them locked
 */
export async function untilUnlocked<T>(
  database: Database,
  layout: Layout,
  { pauses }: LockWaits,
  timer: Timer,
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isLocked(error)) throw error
      const pause = pauses[attempt]
      if (pause === undefined) throw await lockedError(database, layout, error)
      await new Promise<void>((resolve) => timer(pause, resolve))
    }
  }
}

/** True for the error of a statement, and for one that names the step of the statement: a lock that was waited for too long, a deadlock. */
function isLocked(error: unknown): error is Error {
  const cause = error instanceof AppError ? error.cause : error
  return isLockTimeout(cause) || isTransient(cause)
}

async function lockedError(database: Database, layout: Layout, cause: Error): Promise<AppError> {
  const { rows } = await database.query(holders(layout))
  const sessions = rows.map(([table, pid, user, application, seconds]) => {
    const program = application === null || application === '' ? '' : `, ${application}`
    return `'${table}' by the session ${pid} of ${user}${program}${seconds === null ? '' : `, since ${seconds} s`}`
  })
  const held = sessions.length === 0 ? 'The locks have been released meanwhile' : `Locked are ${sessions.join('; ')}`
  const remedy =
    sessions.length === 0
      ? 'try again'
      : 'try again when these transactions have ended, or end them with `select pg_terminate_backend(<session>)`'
  return new AppError(
    'TASK_FAILED',
    `A table is locked by other transactions, so nothing was changed. ${cause.message}. ${held}; ${remedy}`,
    { cause },
  )
}

/** The sessions that have locked tables of the schema, those with the longest transactions first. What the role may not see of them is null. */
const holders = ({ schema }: Layout): Sql => sql`
  select "c"."relname", "l"."pid"::text, "a"."usename", "a"."application_name",
    round(extract(epoch from clock_timestamp() - "a"."xact_start"))::text
  from (select distinct "pid", "relation" from pg_locks
    where "granted" and "pid" <> pg_backend_pid() and "database" = (select "oid" from pg_database where "datname" = current_database())) "l"
  join pg_class "c" on "c"."oid" = "l"."relation" and "c"."relkind" in ('r', 'p')
  join pg_namespace "n" on "n"."oid" = "c"."relnamespace" and "n"."nspname" = ${schema}
  left join pg_stat_activity "a" on "a"."pid" = "l"."pid"
  order by "a"."xact_start", "l"."pid", 1 limit ${literal(MAX_NAMED)}`
