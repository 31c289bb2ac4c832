import type { PostgresSettings, Settings } from '../config/settings.ts'
import { durationMs, postgresPlace } from '../config/store-settings.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import { type Bookkeeping, enablingStatement, examineBookkeeping, repairBookkeeping } from '../store/postgres/bookkeeping.ts'
import { StatementError } from '../store/postgres/connection/database.ts'
import { PgDatabase } from '../store/postgres/connection/pg-database.ts'
import { type Examination, examineDatabase, notificationsArrive } from '../store/postgres/examination.ts'
import { Layout } from '../store/postgres/layout/layout.ts'
import { OLDEST_VERSION } from '../store/postgres/maintenance.ts'
import { isAutomatic } from '../store/postgres/schema/migration.ts'
import type { Step } from '../store/postgres/schema/plan-draft.ts'
import { systemClock } from '../util/clock.ts'
import { systemRandom, uniqueId } from '../util/ids.ts'
import type { CheckResult, CheckResults } from './health-check.ts'
import { counted } from './style.ts'

/** Tokens and retries of webhooks are timed by the processes, locks and history by both. In milliseconds. */
const LARGE_DIFFERENCE = 2000

/** Maximum number of steps named. */
const MAX_NAMED = 3

/** Milliseconds that a statement may take that reads whole tables. */
const WHOLE_TABLE_MS = 3_600_000

/** Corrects the totals, stored words and sequences of a project, while servers run. */
export async function repairDatabase(registry: Registry, store: PostgresSettings): Promise<void> {
  const database = new PgDatabase(store.url, { pool: 2, statementTimeout: WHOLE_TABLE_MS })
  try {
    await repairBookkeeping(database, new Layout(registry, store.schema))
  } finally {
    await database.close()
  }
}

/** Checks the database of a project: connection, version, rights, tables, indexes, totals, words, ids, clock, notifications. Changes nothing; works while servers run. */
export async function databaseHealth(registry: Registry, settings: Settings, store: PostgresSettings): Promise<CheckResults> {
  const secret = checkSecret(settings)
  const layout = new Layout(registry, store.schema)
  const database = new PgDatabase(store.url, { pool: 1, statementTimeout: durationMs(store.statement_timeout) })
  try {
    const found = await examineDatabase(database, layout, systemClock)
    const { url, listen_url = url } = store
    const isNotified = await notificationsArrive(database, listen_url, uniqueId(systemRandom))
    const bookkeeping = await bookkeepingHealth(found.plan, layout, store)
    return { secret, ...resultsOf(found, store), ...bookkeeping, listen: checkListening(isNotified, store) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { secret, connection: { level: 'fail', message: `${postgresPlace(store)}: ${reasonOf(error)}` } }
  } finally {
    await database.close()
  }
}

/** Totals, ids and words need all rows, which may take longer than the other checks, and fail without them. */
async function bookkeepingHealth(
  plan: Examination['plan'],
  layout: Layout,
  { url, schema }: PostgresSettings,
): Promise<CheckResults> {
  if (plan === undefined) return {}
  const what = 'the totals, ids and words of the tables'
  if (plan.steps.length > 0)
    return { rows: { level: 'warn', message: `${what} are compared with the rows once the tables are as the models define` } }
  const database = new PgDatabase(url, { pool: 1, statementTimeout: WHOLE_TABLE_MS })
  try {
    return checkBookkeeping(await examineBookkeeping(database, layout), schema)
  } catch (error) {
    if (!(error instanceof AppError || error instanceof StatementError)) throw error
    const reason = error instanceof AppError ? reasonOf(error) : error.message
    return { rows: { level: 'fail', message: `${what} could not be compared with the rows (${reason}); run admin doctor again` } }
  } finally {
    await database.close()
  }
}

const checkSecret = ({ secret_key: secret }: Settings): CheckResult =>
  secret === undefined
    ? { level: 'fail', message: 'secret_key must be set, since all processes sign with the same key; set ADMIN_SECRET_KEY' }
    : { level: 'ok', message: 'secret_key is set' }

/** The cause says what an error that clients see leaves out; neither contains the password. */
const reasonOf = ({ message, cause }: AppError): string => (cause instanceof Error ? `${message}: ${causeOf(cause)}` : message)

const causeOf = (cause: Error): string => cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)

/** Rates what was found. */
export function resultsOf(found: Examination, store: PostgresSettings): CheckResults {
  const { version, user, missingRights, trigrams, clockDifference } = found
  const isOld = version.major < OLDEST_VERSION
  return {
    connection: { level: 'ok', message: `${postgresPlace(store)}, as ${user}` },
    version: isOld
      ? { level: 'fail', message: `PostgreSQL ${version.text} is too old; version ${OLDEST_VERSION} or later is needed` }
      : { level: 'ok', message: `PostgreSQL ${version.text}` },
    settings:
      found.unfitSettings.length > 0
        ? { level: 'warn', message: found.unfitSettings.join('; ') }
        : { level: 'ok', message: 'encoding, digits of decimals and the schema of pg_trgm fit' },
    rights:
      missingRights.length > 0
        ? { level: 'fail', message: `${user} lacks ${missingRights.join(', and ')}` }
        : { level: 'ok', message: `${user} may create and change the tables` },
    ...checkPlan(found.plan, store),
    search: SEARCH[trigrams],
    clock: checkClock(clockDifference),
  }
}

const COST = 'without it, filters for a part of a text (icontains, endswith) read the whole table'

const SEARCH: Readonly<Record<Examination['trigrams'], CheckResult>> = {
  installed: { level: 'ok', message: 'pg_trgm is installed' },
  available: { level: 'warn', message: `pg_trgm is not installed; ${COST}. Install it: create extension pg_trgm` },
  absent: { level: 'warn', message: `The server does not have pg_trgm; ${COST}. It is part of the package postgresql-contrib` },
}

function checkPlan(plan: Examination['plan'], { migrate }: PostgresSettings): Pick<CheckResults, 'tables' | 'indexes'> {
  if (plan === undefined) return { tables: { level: 'ok', message: 'there are no tables yet; the first start creates them' } }
  const indexes = plan.steps.filter(({ phase }) => phase === 'index')
  const others = plan.steps.filter(({ phase }) => phase !== 'index')
  const isApplied = isAutomatic(plan, migrate)
  const isBreaking = plan.steps.some(({ breaks }) => breaks !== undefined)
  const applied = isBreaking ? 'a start applies them while no other process serves the database' : 'a start applies them'
  const remedy = isApplied ? applied : 'run admin migrate --plan'
  const level = isApplied ? 'warn' : 'fail'
  const unused =
    plan.unused.length === 0 ? '' : `; ${counted(plan.unused.length, 'unused table or column', 'unused tables or columns')}`
  return {
    tables:
      others.length === 0
        ? { level: 'ok', message: `as the models define${unused}` }
        : { level, message: `${counted(others.length, 'step')} between the tables and the models (${named(others)}); ${remedy}` },
    indexes:
      indexes.length > 0
        ? {
            level,
            message: `${counted(indexes.length, 'index is', 'indexes are')} missing or invalid (${named(indexes)}); ${remedy}`,
          }
        : { level: 'ok', message: plan.isBuilding ? 'complete; one is being built' : 'complete' },
  }
}

const named = (steps: readonly Step[]): string => firstOf(steps.map(({ reason }) => reason))

function firstOf(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_NAMED)
  return texts.length > MAX_NAMED ? `${shown.join('; ')}; and ${texts.length - MAX_NAMED} more` : shown.join('; ')
}

const REPAIR = 'run admin doctor --repair, also while servers run'

function checkBookkeeping({ disabled, counts, ids, words }: Bookkeeping, schema: string) {
  const result = (faults: readonly string[], remedy: string, sound: string): CheckResult =>
    faults.length === 0 ? { level: 'ok', message: sound } : { level: 'fail', message: `${firstOf(faults)}; ${remedy}` }
  const foreign = disabled.filter(({ needsSuperuser }) => needsSuperuser).map(({ table }) => enablingStatement(schema, table))
  return {
    triggers: result(
      disabled.map(({ table }) => `triggers of '${table}' are disabled, so writes are not counted, found or checked`),
      foreign.length === 0 ? REPAIR : `let a superuser run: ${foreign.join('; ')}; then ${REPAIR}`,
      'enabled',
    ),
    totals: result(
      counts.map(({ model, total, rows }) => `the total of '${model}' is ${total}, and it has ${counted(rows, 'row')}`),
      `rows were written without triggers; ${REPAIR}`,
      'as many as rows',
    ),
    ids: result(
      ids.map(({ table, next, highest }) => `the next id of '${table}' is ${next}, and a row has ${highest}`),
      `rows were written with ids of their own; ${REPAIR}`,
      'the next ids are free',
    ),
    words: result(
      words.map(
        ({ model, records }) =>
          `${counted(records, 'record')} of '${model}' ${records === 1 ? 'is' : 'are'} not searched as stored`,
      ),
      `rows were written without triggers; ${REPAIR}`,
      'the words of all records are stored, or will be',
    ),
  }
}

/** Rates whether processes are notified of each other's changes. */
export function checkListening(isNotified: boolean, { listen_url }: PostgresSettings): CheckResult {
  if (isNotified) return { level: 'ok', message: 'notifications of changes arrive' }
  const remedy =
    listen_url === undefined
      ? 'if store.url is that of a pooler such as PgBouncer, set store.listen_url to the address of the server itself'
      : 'set store.listen_url to the address of the server itself, with the same database as store.url'
  return {
    level: 'warn',
    message: `notifications do not arrive, so changes of other processes are read once a second; ${remedy}`,
  }
}

function checkClock(difference: number): CheckResult {
  const seconds = `${Math.abs(difference / 1000).toFixed(1)} s`
  if (Math.abs(difference) <= LARGE_DIFFERENCE) return { level: 'ok', message: 'the clock of the server agrees' }
  const message = `the clock of the server is ${seconds} ${difference > 0 ? 'ahead' : 'behind'}; synchronise the clocks of both machines`
  return { level: 'warn', message }
}
