import type { SearchedTable } from '../../search-storage.ts'
import type { Connection, ResultRow } from '../connection/database.ts'
import { SYSTEM_PREFIX } from '../layout/column.ts'
import type { SystemObject } from '../layout/definitions.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { identifier, joined, literal, type Sql, sql } from '../sql.ts'

/** The tables and functions of the search. */
export interface SearchTables {
  /**
   * One row a searched table. `number` is its number in `changes`. `generation` is the number of its present words; words of other
   * generations are garbage. `records` and `lengths` are totals of `documents`. The row is locked while words are stored.
   */
  readonly state: Sql
  /**
   * Ids of records that were written since their words were stored. An id may occur several times. The id `TRUNCATED` means that all
   * records were removed at once.
   */
  readonly changes: Sql
  /** The words of each record, with spaces between them, and their number in each field. */
  readonly documents: Sql
  /**
   * The places of each word, by the chunk of records that they are in. `stem`, `size` and `signature` describe the word, in its first
   * row only; `stem` is null if it equals the word.
   */
  readonly words: Sql
  /** The trigger function that notes the ids of written records. */
  readonly noteChanges: Sql
  /** The trigger function that is called when a table is truncated. */
  readonly noteTruncation: Sql
}

/** Id of no record: the table was truncated. */
export const TRUNCATED = 0

export const searchTablesOf = (layout: Layout): SearchTables => ({
  state: layout.system('search'),
  changes: layout.system('search_changes'),
  documents: layout.system('search_documents'),
  words: layout.system('search_words'),
  noteChanges: layout.system('search_note_changes'),
  noteTruncation: layout.system('search_note_truncation'),
})

/** The tables and functions of the search, as the schema of the database has them. */
export function searchObjects(layout: Layout): readonly SystemObject[] {
  const { state, changes, documents, words, noteTruncation } = searchTablesOf(layout)
  return [
    {
      kind: 'table',
      name: `${SYSTEM_PREFIX}search`,
      create: sql`create table ${state} (
        number integer generated always as identity primary key,
        table_name text collate "C" not null unique,
        generation bigint generated always as identity,
        fields text[] not null default '{}',
        revision integer not null default 0,
        records bigint not null default 0,
        lengths bigint[] not null default '{}'
      )`,
    },
    {
      kind: 'table',
      name: `${SYSTEM_PREFIX}search_changes`,
      create: sql`create table ${changes} (
        number integer not null,
        change bigint generated always as identity,
        id bigint not null,
        primary key (number, change)
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    },
    {
      kind: 'table',
      name: `${SYSTEM_PREFIX}search_documents`,
      create: sql`create table ${documents} (
        generation bigint not null,
        id bigint not null,
        words text collate "C" not null,
        lengths integer[] not null,
        primary key (generation, id)
      )`,
    },
    {
      kind: 'table',
      name: `${SYSTEM_PREFIX}search_words`,
      create: sql`create table ${words} (
        generation bigint not null,
        word text collate "C" not null,
        chunk bigint not null,
        places text collate "C" not null,
        stem text collate "C",
        size integer,
        signature bigint,
        primary key (generation, word, chunk)
      ) with (fillfactor = 80)`,
      indexes: [
        sql`create index ${identifier('_admin_search_words_stems')} on ${words} (generation, stem) where stem is not null`,
        sql`create index ${identifier('_admin_search_words_spelling')} on ${words} (generation, size, signature, word) where size is not null`,
      ],
    },
    // Both have the rights of the owner, since other programs that write records may have none on these tables.
    {
      kind: 'function',
      name: `${SYSTEM_PREFIX}search_note_changes`,
      create: noteChangesFunction(layout, sql``),
    },
    {
      kind: 'function',
      name: `${SYSTEM_PREFIX}search_note_truncation`,
      create: sql`create or replace function ${noteTruncation}() returns trigger language plpgsql security definer
        set search_path = pg_catalog, pg_temp as $note$
        begin
          insert into ${changes} (number, id) values (tg_argv[0]::integer, ${literal(TRUNCATED)});
          return null;
        end $note$`,
    },
  ]
}

/** @param order of the ids that one update notes */
function noteChangesFunction(layout: Layout, order: Sql): Sql {
  const { changes, noteChanges } = searchTablesOf(layout)
  return sql`create or replace function ${noteChanges}() returns trigger language plpgsql security definer
        set search_path = pg_catalog, pg_temp as $note$
        begin
          if tg_op = 'INSERT' then
            insert into ${changes} (number, id) select tg_argv[0]::integer, id from new_rows;
          elsif tg_op = 'DELETE' then
            insert into ${changes} (number, id) select tg_argv[0]::integer, id from old_rows;
          else
            insert into ${changes} (number, id) select tg_argv[0]::integer, id from (select id from new_rows union select id from old_rows) ids${order};
          end if;
          return null;
        end $note$`
}

/** Notes the ids of an update in their order: the words of adjacent records are stored in the same rows, so that few rows are written. */
export const noteChangesInOrder = (layout: Layout): Sql => noteChangesFunction(layout, sql` order by id`)

/** Names of the triggers of a searched table, in alphabetical order. */
const TRIGGERS = {
  delete: '_admin_search_delete',
  insert: '_admin_search_insert',
  truncate: '_admin_search_truncate',
  update: '_admin_search_update',
}

/** Number of triggers of a searched table. */
const TRIGGER_COUNT = Object.keys(TRIGGERS).length

/** Number of the triggers that a table has and that note its changes under this number. */
const triggerCount = ({ table }: TableLayout, number: number): Sql => sql`(
  select count(*) from pg_trigger
  where tgrelid = ${regclass(table)} and tgname = any(${Object.values(TRIGGERS)}::name[]) and tgargs = ${`${number}\\000`}::bytea
    and tgenabled <> 'D')`

const regclass = (table: Sql): Sql => sql`${table.compile().text}::regclass`

/** Statements that let a table note its changes under this number. They wait for transactions that write to the table. */
function triggerDefinitions(layout: Layout, { table }: TableLayout, number: number): readonly Sql[] {
  const { noteChanges, noteTruncation } = searchTablesOf(layout)
  const onEach = sql`for each statement execute function`
  const argument = literal(String(number))
  const named = (name: string, event: Sql, execute: Sql) =>
    joined([sql`create or replace trigger`, identifier(name), sql`after`, event, sql`on`, table, execute], ' ')
  const note = (referencing: Sql) => sql`referencing ${referencing} ${onEach} ${noteChanges}(${argument})`
  return [
    named(TRIGGERS.insert, sql`insert`, note(sql`new table as new_rows`)),
    named(TRIGGERS.update, sql`update`, note(sql`old table as old_rows new table as new_rows`)),
    named(TRIGGERS.delete, sql`delete`, note(sql`old table as old_rows`)),
    named(TRIGGERS.truncate, sql`truncate`, sql`${onEach} ${noteTruncation}(${argument})`),
  ]
}

/**
 * Creates the triggers of a table where they are missing. If they were, or if other words are stored, all words are made again.
 *
 * @param isEarlier true for an earlier release, which leaves the words of other fields to the later one
 */
export async function openTable(
  connection: Connection,
  layout: Layout,
  searched: SearchedTable,
  isEarlier: boolean,
): Promise<void> {
  const { state } = searchTablesOf(layout)
  const { table, fields, revision } = searched
  const known = sql`select number, fields = ${fields}::text[] and revision = ${revision} from ${state} where table_name = ${table}`
  const opened = async (row: ResultRow | undefined) => {
    const number = Number(row?.[0])
    const triggers = await connection.query(sql`select ${triggerCount(layout.of(table), number)}`)
    const areThere = Number(triggers.rows[0]?.[0]) === TRIGGER_COUNT
    return { number, areThere, isDone: areThere && (isEarlier || row?.[1] === 't') }
  }
  const [row] = (await connection.query(known)).rows
  // Without a lock, so that no search waits for a process that stores words.
  if (row !== undefined && (await opened(row)).isDone) return
  if (row === undefined)
    await connection.query(sql`insert into ${state} (table_name) values (${table}) on conflict (table_name) do nothing`)
  // Two processes that start at once take turns.
  const { number, areThere, isDone } = await opened((await connection.query(sql`${known} for update`)).rows[0])
  if (isDone) return
  if (!areThere) for (const definition of triggerDefinitions(layout, layout.of(table), number)) await connection.query(definition)
  await resetWords(connection, layout, searched, number)
}

/** Discards the stored words of a table and notes all its records as changed. The row of the state must be locked. */
export async function resetWords(connection: Connection, layout: Layout, searched: SearchedTable, number: number): Promise<void> {
  const { state, changes } = searchTablesOf(layout)
  const { table, fields, revision } = searched
  await connection.query(
    sql`update ${state} set generation = default, fields = ${fields}::text[], revision = ${revision}, records = 0,
      lengths = ${fields.map(() => 0)}::bigint[] where number = ${number}`,
  )
  await connection.query(sql`delete from ${changes} where number = ${number}`)
  await connection.query(
    sql`insert into ${changes} (number, id) select ${number}::integer, id from ${layout.of(table).table} order by id`,
  )
}

const MAX_CHARACTER_BYTES = 4

/** The beginnings of the texts of searched fields of a row as JSON. Items of lists are joined by commas; an empty field has the empty text. */
export function recordTexts(table: TableLayout, alias: Sql, { fields, maxText }: SearchedTable): Sql {
  const texts = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    return sql`coalesce(left(${searchedText(column.type, value)}, ${maxText}), '')`
  })
  return sql`json_build_array(${joined(texts)})`
}

/** The number of bytes of these texts before they are joined, about. It reads no text that is stored apart from its row. */
export function textBytes(table: TableLayout, alias: Sql, { fields, maxText }: SearchedTable): Sql {
  const sizes = fields.map((field) => {
    const column = table.expectColumn(field)
    const value = sql`${alias}.${column.sql}`
    const size = column.type === 'text[]' || column.type === 'json' ? sql`pg_column_size(${value})` : sql`octet_length(${value})`
    return sql`least(coalesce(${size}, 0), ${maxText * MAX_CHARACTER_BYTES})`
  })
  return joined(sizes, ' + ')
}

/** Reads such texts; undefined for null. */
export const readJson = <T>(text: string | null | undefined): T | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as T)

/** The text of a value by the type of its column: the items of a list, the names of files. */
function searchedText(type: string, value: Sql): Sql {
  if (type === 'text[]') return sql`array_to_string(${value}, ', ')`
  if (type !== 'json') return value
  const files = sql`case json_typeof(${value}) when 'array' then ${value} else json_build_array(${value}) end`
  return sql`(select string_agg("file" ->> 'name', ', ' order by "place") from json_array_elements(${files}) with ordinality "files" ("file", "place")
    where json_typeof("file") = 'object')`
}
