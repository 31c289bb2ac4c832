import type { Clock } from '../../util/clock.ts'
import type { Connection, Database } from './connection/database.ts'
import { NotificationListener } from './connection/listener.ts'
import type { Layout } from './layout/layout.ts'
import { databaseState } from './maintenance.ts'
import { planOf } from './schema/migration.ts'
import type { SchemaPlan } from './schema/plan.ts'
import { sql } from './sql.ts'

/** What a check of a database finds out. */
export interface Examination {
  /** Version of the server, such as `15.4`, and its major version. */
  readonly version: { readonly text: string; readonly major: number }
  readonly user: string
  /** Rights that the user lacks, as statements grant them; empty if there are all. */
  readonly missingRights: readonly string[]
  /** The difference between the tables and the models; undefined if there are no tables yet. */
  readonly plan: SchemaPlan | undefined
  /** `pg_trgm` finds parts of texts: installed, available to be installed, or absent. */
  readonly trigrams: 'installed' | 'available' | 'absent'
  /** Settings of the server that change or refuse values, each with its remedy. */
  readonly unfitSettings: readonly string[]
  /** Least number of milliseconds by which the clock of the server is ahead of the clock of this process. */
  readonly clockDifference: number
}

/** Examines a database; changes nothing. */
export async function examineDatabase(database: Database, layout: Layout, clock: Clock): Promise<Examination> {
  const clockDifference = await differenceOfClocks(database, clock)
  const { rows } = await database.query(
    sql`select current_setting('server_version'), current_user::text,
      coalesce((select case when "installed_version" is null then 'available' else 'installed' end
        from pg_available_extensions where "name" = 'pg_trgm'), 'absent')`,
  )
  const [text, user, trigrams] = rows[0] ?? []
  const { version: major, isPrepared } = await databaseState(database, layout)
  const plan = isPrepared ? await planOf(database, layout) : undefined
  return {
    version: { text: text ?? '', major },
    user: user ?? '',
    missingRights: await missingRights(database, layout),
    plan,
    trigrams: trigrams as Examination['trigrams'],
    unfitSettings: await unfitSettings(database),
    clockDifference,
  }
}

/** The settings of a database and a role that do not fit the server, each with its remedy: encoding, digits of numbers, the schema of `pg_trgm`. */
export async function unfitSettings(connection: Connection): Promise<readonly string[]> {
  const { rows } = await connection.query(
    sql`select current_setting('server_encoding'), current_setting('extra_float_digits'), quote_ident(current_user), quote_ident(current_database()),
      (select quote_ident("n"."nspname") from pg_extension join pg_namespace "n" on "n"."oid" = "extnamespace"
        where "extname" = 'pg_trgm' and not has_schema_privilege("n"."oid", 'usage'))`,
  )
  const [encoding = '', digits = '', user = '', name = '', hidden = null] = rows[0] ?? []
  const unfit: string[] = []
  if (encoding !== 'UTF8') {
    unfit.push(
      `The database ${name} has the encoding ${encoding}, which lacks characters or does not know them; create one by \`createdb --encoding UTF8 --template template0\`, and move the tables there by pg_dump`,
    )
  }
  if (Number(digits) < 1) {
    unfit.push(
      `extra_float_digits is ${digits}, so decimals are read with fewer digits than they have; run: alter role ${user} reset extra_float_digits, or set it to 1`,
    )
  }
  if (hidden !== null) {
    unfit.push(
      `${user} may not use the schema ${hidden} of pg_trgm, so parts of texts are searched without an index; run: grant usage on schema ${hidden} to ${user}`,
    )
  }
  return unfit
}

/** A schema that does not exist yet is created by the first start, tables are changed by their owner. */
async function missingRights(connection: Connection, { schema, tables }: Layout): Promise<string[]> {
  const { rows } = await connection.query(
    sql`select "schema"."oid" is not null,
        case when "schema"."oid" is null then has_database_privilege(current_database(), 'create')
          else has_schema_privilege("schema"."oid", 'create') and has_schema_privilege("schema"."oid", 'usage') end,
        current_database()::text,
        array_to_string(array(select "c"."relname"::text from pg_class "c"
          where "c"."relnamespace" = "schema"."oid" and "c"."relkind" = 'r' and not pg_has_role("c"."relowner", 'usage')
            and ("c"."relname" = any(${tables.map(({ name }) => name)}::text[]) or "c"."relname" like '\\_admin\\_%')
          order by 1 limit 3), ', ')
      from (values (${schema}::text)) "wanted" ("name") left join pg_namespace "schema" on "schema"."nspname" = "wanted"."name"`,
  )
  const [isThere, mayCreate, name, foreign] = rows[0] ?? []
  const create = isThere === 't' ? `create and usage on schema ${schema}` : `create on database ${name}`
  return [...(mayCreate === 't' ? [] : [create]), ...(foreign ? [`ownership of the tables ${foreign}`] : [])]
}

/** The server reads its clock between the request and the answer, so only a time outside of both tells a difference. */
async function differenceOfClocks(connection: Connection, clock: Clock): Promise<number> {
  await connection.query(sql`select 1`)
  const before = clock()
  const { rows } = await connection.query(sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint`)
  const after = clock()
  const there = Number(rows[0]?.[0])
  return there < before ? there - before : Math.max(0, there - after)
}

/** Time between two notifications of a test, and their number. */
const SEND_MS = 100
const MAX_SENT = 20

/** A channel that nothing else uses. */
const CHANNEL = 'admin_test'

/**
 * Tests whether notifications that a database sends arrive at another connection. Takes up to two seconds.
 *
 * @param address of the listening connection
 * @param payload a text that no other test sends
 */
export async function notificationsArrive(database: Database, address: string, payload: string): Promise<boolean> {
  let hasArrived = false
  const listener = new NotificationListener(address, CHANNEL, (heard) => {
    hasArrived ||= heard === payload
  })
  try {
    for (let sent = 0; sent < MAX_SENT && !hasArrived; sent++) {
      await database.query(sql`select pg_notify(${CHANNEL}, ${payload})`)
      await new Promise((resolve) => void setTimeout(resolve, SEND_MS))
    }
    return hasArrived
  } finally {
    listener.close()
  }
}
