import { identifier, keyword, literal, type Sql, sql } from '../sql.ts'
import type { TableDefinition } from './definitions.ts'
import type { Layout } from './layout.ts'

/** Rows that a table has from the start in the table of counters. It gets more when more transactions change it at once. */
const SHARDS = 16

/**
 * The table of counters.
 *
 * `sum(records)` is the number of records of a table, `sum(writes)` changes with every statement that changes it or one of its link tables,
 * whichever program executes it. Both belong to the transaction of the statement.
 */
export const countersTable = (layout: Layout): Sql =>
  // A new version of a row stays on its page, so that the updates need no vacuum.
  sql`create table ${layout.system('counters')} (
    "table_name" text not null, "shard" integer not null,
    "records" bigint not null default 0, "writes" bigint not null default 0,
    primary key ("table_name", "shard")
  ) with (fillfactor = 20)`

/**
 * Adds to the counters of a table, and never waits for another transaction, which may last minutes. Takes a row that this transaction has
 * changed before, or one that no open transaction has changed, or a new one: so the number of rows depends on the number of transactions that
 * change the table at once.
 */
export const addToCounters = (layout: Layout, name: Sql, records: Sql): Sql => {
  const counters = layout.system('counters')
  return sql`insert into ${counters} as "c" ("table_name", "shard", "records", "writes")
    select ${name}, coalesce(
        (select "shard" from ${counters} where "table_name" = ${name}
          order by "xmin" = pg_current_xact_id()::xid desc, "shard" limit 1 for update skip locked),
        (random() * 2147483647)::integer
      ), ${records}, 1
    on conflict ("table_name", "shard") do update
      set "records" = "c"."records" + excluded."records", "writes" = "c"."writes" + excluded."writes"`
}

/**
 * The function that keeps the table of counters up to date. Each connection first tries a row of its own choice, which is mostly free. It has
 * the rights of the owner, since other programs that write records may have none on the counters.
 */
export function countFunction(layout: Layout): Sql {
  const [counters, count] = [layout.system('counters'), layout.system('count')]
  return sql`create or replace function ${count}() returns trigger language plpgsql security definer
      set search_path = pg_catalog, pg_temp as $function$
      declare
        difference bigint := 0;
        own constant integer := pg_backend_pid() % ${literal(SHARDS)};
      begin
        if tg_argv[1] = 'records' then
          if tg_op = 'TRUNCATE' then
            update ${counters} set "records" = 0 where "table_name" = tg_argv[0];
          elsif tg_op <> 'UPDATE' then
            select count(*) into difference from "changed";
            if difference = 0 then return null; end if;
            if tg_op = 'DELETE' then difference := -difference; end if;
          end if;
        end if;
        perform from ${counters} where "table_name" = tg_argv[0] and "shard" = own for update skip locked;
        if found then
          update ${counters} set "records" = "records" + difference, "writes" = "writes" + 1
            where "table_name" = tg_argv[0] and "shard" = own;
        else
          ${addToCounters(layout, sql`tg_argv[0]`, sql`difference`)};
        end if;
        return null;
      end $function$`
}

/** The counters of a table, at 0: for an empty table. */
export const counterRows = (layout: Layout, model: string): Sql =>
  sql`insert into ${layout.system('counters')} ("table_name", "shard")
    select ${literal(model)}, "shard" from generate_series(0, ${literal(SHARDS - 1)}) "shard"
    on conflict do nothing`

/** Sets the counters of a table that has rows already. Those of its writes go on: processes remember what they read by their sum. */
export const countRows = (layout: Layout, { table, model }: TableDefinition): Sql[] => [
  counterRows(layout, model),
  sql`update ${layout.system('counters')}
    set "records" = case "shard" when 0 then (select count(*) from ${table}) else 0 end, "writes" = "writes" + 1
    where "table_name" = ${literal(model)}`,
]

/** The statements that are counted, and the rows that the function sees of each. */
const TRIGGERS = [
  { event: 'insert', changed: 'referencing new table as "changed"' },
  { event: 'update', changed: '' },
  { event: 'delete', changed: 'referencing old table as "changed"' },
  { event: 'truncate', changed: '' },
] as const

const triggerName = (event: string): string => `_admin_count_${event}`

/** Names of the triggers, in the order of `countTriggers`. */
export const countTriggerNames: readonly string[] = TRIGGERS.map(({ event }) => triggerName(event))

/** The triggers that count the records and writes of a table. */
export function countTriggers(layout: Layout, { table, model, holds }: TableDefinition): Sql[] {
  const call = sql`execute function ${layout.system('count')}(${literal(model)}, ${literal(holds)})`
  return TRIGGERS.map(
    ({ event, changed }) =>
      sql`create trigger ${identifier(triggerName(event))} after ${keyword(event)} on ${table}
        ${keyword(changed)} for each statement ${call}`,
  )
}
