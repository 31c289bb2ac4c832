import { AppError } from '../../../errors.ts'
import { systemTimer, type Timer } from '../../../util/clock.ts'
import { type Connection, type Database, StatementError } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { sql } from '../sql.ts'
import { trigramsSchema } from './catalog.ts'
import { describePlan } from './describe-plan.ts'
import { LOCK_WAITS, type LockWaits, limitLockWaits, untilUnlocked } from './lock-waits.ts'
import { currentFingerprint, planSchema, type SchemaPlan } from './plan.ts'
import type { Step } from './plan-draft.ts'
import { readState, recordStatements } from './recorded.ts'

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
      const plan = await planSchema(connection, layout)
      options.check?.(plan)
      rejectRowsInTheWay(plan)
      return execute(connection, layout, plan, options.allowDestructive === true)
    })
  const steps = await untilUnlocked(database, layout, lockWaits, timer, apply)
  const later = steps.filter(({ isConcurrent }) => isConcurrent)
  if (later.length > 0) await buildIndexes(database, layout, later)
  return steps
}

/** Fingerprint while indexes are being built: the next start makes a plan, and finds those that were not built to their end. */
const UNFINISHED = 'unfinished'

/** Errors of an index that another process has just built or dropped. */
const BY_ANOTHER: ReadonlySet<string> = new Set(['23505', '42704', '42P07'])

async function buildIndexes(database: Database, layout: Layout, steps: readonly Step[]): Promise<void> {
  for (const statement of steps.flatMap(({ statements }) => statements)) {
    await database.query(statement).catch((error: unknown) => {
      if (!(error instanceof StatementError && BY_ANOTHER.has(error.code))) throw error
    })
  }
  await database.transaction(async (connection) => {
    await lockSchema(connection, layout)
    const plan = await planSchema(connection, layout)
    if (plan.steps.length === 0 && !plan.isBuilding) await record(connection, layout, plan.recorded, plan.state)
  })
}

async function record(
  connection: Connection,
  layout: Layout,
  recorded: SchemaPlan['recorded'],
  state: SchemaPlan['state'],
): Promise<void> {
  for (const statement of recordStatements(layout, recorded, state)) await connection.query(statement)
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
  allowDestructive: boolean,
): Promise<readonly Step[]> {
  const steps = allowDestructive ? [...plan.steps, ...plan.unused] : plan.steps
  const immediate = steps.filter(({ isConcurrent }) => isConcurrent !== true)
  await executeSteps(connection, immediate, allowDestructive)
  const recorded = allowDestructive ? withoutUnused(plan) : plan.recorded
  const state = await currentState(connection, layout)
  if (steps.length === 0 && state === plan.state.fingerprint) return steps
  const isUnfinished = plan.isBuilding || immediate.length < steps.length
  await record(connection, layout, recorded, isUnfinished ? { ...plan.state, fingerprint: UNFINISHED } : plan.state)
  return steps
}

/**
 * Executes steps in a transaction.
 *
 * @throws {AppError} TASK_FAILED naming the step that failed
 */
export async function executeSteps(connection: Connection, steps: readonly Step[], allowDestructive = false): Promise<void> {
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

/** @throws {AppError} MIGRATION_NEEDED */
function rejectRowsInTheWay(plan: SchemaPlan): void {
  const blocked = plan.steps.filter(({ rows }) => (rows?.count ?? 0) > 0)
  if (blocked.length === 0) return
  const what = `Rows are in the way of ${blocked.length === 1 ? 'a step' : `${blocked.length} steps`}; correct them, and try again`
  throw new AppError('MIGRATION_NEEDED', `${what}:\n${describePlan({ ...plan, steps: blocked, unused: [] })}`)
}

/**
 * Prepares a database for a store: applies the steps that the mode allows.
 *
 * @returns the steps that were applied
 * @throws {AppError} MIGRATION_NEEDED with the plan, if others are needed
 */
export async function prepareSchema(database: Database, layout: Layout, mode: MigrateMode): Promise<readonly Step[]> {
  if (await isCurrent(database, layout)) return []
  return applySchema(database, layout, {
    check(plan) {
      if (isAutomatic(plan, mode)) return
      const what = mode === 'never' ? 'The setting `migrate: never` allows no step' : 'A start applies additive steps only'
      const remedy = 'run `admin migrate --plan`, and then `admin migrate --apply`'
      throw new AppError('MIGRATION_NEEDED', `The database differs from the models. ${what}; ${remedy}:\n${describePlan(plan)}`)
    },
  })
}

/** True if the models define what was applied last. Does not look at the tables themselves. */
async function isCurrent(database: Database, layout: Layout): Promise<boolean> {
  const { rows } = await database.query(
    sql`select ${trigramsSchema} from pg_class "c" join pg_namespace "n" on "n"."oid" = "c"."relnamespace"
      where "n"."nspname" = ${layout.schema} and "c"."relname" = ${`${SYSTEM_PREFIX}definitions`}`,
  )
  const [row] = rows
  if (row === undefined) return false
  return (await readState(database, layout))?.fingerprint === currentFingerprint(layout, row[0] ?? undefined)
}

async function currentState(connection: Connection, layout: Layout): Promise<string | undefined> {
  return (await readState(connection, layout))?.fingerprint
}

/** Creates all tables of a layout. The schema is created if it does not exist. */
export async function createSchema(database: Database, layout: Layout): Promise<void> {
  await applySchema(database, layout)
}
