import type { Filter } from '../../../query/plan.ts'
import type { ChangedRecord, SearchedTable, StoredWord, StoredWords, WordSelection } from '../../search-storage.ts'
import type { Connection, ResultRow } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { Conditions } from '../queries/conditions.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'
import { eachPlace, letterSignature, maxDifference } from './places.ts'
import { readJson, recordTexts, searchTablesOf, TRUNCATED } from './search-tables.ts'

/** Maximum number of changes whose records a search reads, the last ones. */
const MAX_CHANGED = 1000

/** Greater than every character of a word. */
const LAST_CHARACTER = '\u{10ffff}'

/** Kinds of rows of the statement. */
const STATE = 's'
const CHANGED = 'c'
const FURTHER = 'f'
const WORD = 'w'
const SLIGHT = 'o'

/**
 * Reads a selection of the stored words of a table, and the records that changed last. Needs a snapshot that spans statements.
 *
 * @returns undefined if words of none of these fields are stored
 */
export async function readWords(
  connection: Connection,
  layout: Layout,
  searched: SearchedTable,
  selection: WordSelection,
): Promise<StoredWords | undefined> {
  const near = await nearWords(connection, layout, searched, selection)
  const { rows } = await connection.query(
    selectStatement(layout, searched, { ...selection, words: [...selection.words, ...near] }),
  )
  const state = rows.find(([kind]) => kind === STATE)
  if (state === undefined) return undefined
  const fields = readJson<string[]>(state[1]) ?? []
  const positions = fields.map((field) => searched.fields.indexOf(field))
  // A later release may search other fields; an earlier one finds what both search.
  if (!searched.fields.some((field) => fields.includes(field))) return undefined
  const inOrder = (lengths: readonly number[]) => searched.fields.map((field) => lengths[fields.indexOf(field)] ?? 0)
  const changed = rows.filter(([kind]) => kind === CHANGED).map((row) => changedRecord(row, inOrder))
  const isTruncated = changed.some(({ id }) => id === TRUNCATED)
  return {
    isComplete: !isTruncated && rows.every(([kind]) => kind !== FURTHER),
    totals: { records: Number(state[2]), words: inOrder(readJson<number[]>(state[3]) ?? []) },
    words: rows.filter(([kind]) => kind === WORD).map((row) => storedWord(row, positions)),
    slight: rows.filter(([kind]) => kind === SLIGHT).map((row) => storedWord(row, positions)),
    changed: changed.filter(({ id }) => id !== TRUNCATED),
  }
}

function changedRecord(
  [, texts, id, lengths]: ResultRow,
  inOrder: (lengths: readonly number[]) => readonly number[],
): ChangedRecord {
  const stored = readJson<number[]>(lengths)
  return { id: Number(id), texts: readJson<string[]>(texts), lengths: stored === undefined ? undefined : inOrder(stored) }
}

/** @param positions of the stored fields among the searched ones, or -1 */
function storedWord([, word, chunk, places]: ResultRow, positions: readonly number[]): StoredWord {
  return {
    word: word ?? '',
    eachPlace(take) {
      eachPlace(Number(chunk), places ?? '', (id, field, times, length) => {
        const position = positions[field] ?? -1
        if (position !== -1) take(id, position, times, length)
      })
    },
  }
}

function selectStatement(layout: Layout, searched: SearchedTable, selection: WordSelection): Sql {
  const { table, revision } = searched
  const { state, changes, documents, words } = searchTablesOf(layout)
  const generation = sql`(select generation from state)`
  const { table: records } = layout.of(table)
  return sql`
    with state as materialized (
      select number, generation, fields, records, lengths from ${state} where table_name = ${table} and revision = ${revision}),
    found as materialized (
      select word, chunk, places from ${words} w where w.generation = ${generation} and (${conditionOf(selection, words, generation)})),
    latest as materialized (${latestChanges(changes, sql`(select number from state)`)})
    select ${STATE} as kind, array_to_json(fields)::text, records::text, array_to_json(lengths)::text from state
    union all
    select ${CHANGED}, case when r.id is not null then ${recordTexts(layout.of(table), identifier('r'), searched)}::text end,
      c.id::text, array_to_json(d.lengths)::text
    from (select distinct id from latest) c
    left join ${records} r on r.id = c.id
    left join ${documents} d on d.generation = ${generation} and d.id = c.id
    union all
    select ${FURTHER}, null, null, null
    where exists (${furtherChanges(changes, sql`(select number from state)`)})
    union all
    select ${WORD}, word, chunk::text, places from found
    union all
    select ${SLIGHT}, w.word, w.chunk::text, w.places from ${words} w
    where w.generation = ${generation} and w.word = any(${selection.slight}::text[]) and w.chunk = any(array(select distinct chunk from found))`
}

const latestChanges = (changes: Sql, number: Sql): Sql =>
  sql`select change, id from ${changes} where number = ${number} order by change desc limit ${MAX_CHANGED}`

/** The ids of earlier changes, without those of the changes in `latest`. Without changes, it compares with null and finds none. */
const furtherChanges = (changes: Sql, number: Sql): Sql =>
  sql`select id from ${changes} where number = ${number} and change < (select min(change) from latest) and id not in (select id from latest)`

/** The number of records of a table that match filters and that changed before those whose texts a search reads. */
export async function countMissing(
  connection: Connection,
  layout: Layout,
  { table }: SearchedTable,
  filters: readonly Filter[],
): Promise<number> {
  const { state, changes } = searchTablesOf(layout)
  const conditions = new Conditions(layout)
  const [records, alias] = [layout.of(table), conditions.alias()]
  const number = sql`(select number from ${state} where table_name = ${table})`
  // The planner knows little of changes that were just made: it would look up each of their records, and sort all to find the latest ones.
  await connection.query(sql`select set_config('enable_nestloop', 'off', true), set_config('enable_bitmapscan', 'off', true)`)
  const { rows } = await connection.query(
    sql`with latest as materialized (${latestChanges(changes, number)})
      select count(*) from ${records.table} ${alias}
      where ${alias}."id" in (${furtherChanges(changes, number)}) and ${conditions.all(filters, records, alias)}`,
  )
  return Number(rows[0]?.[0])
}

/** The condition on rows of words. It uses no subquery per row, so that the index finds the words. */
function conditionOf({ words: exact, stems, prefixes }: WordSelection, words: Sql, generation: Sql): Sql {
  const inflected = sql`array(select word from ${words} where generation = ${generation} and stem = any(${stems}::text[]))`
  const ranges = prefixes.map(
    ({ prefix, except }) =>
      sql`(w.word >= ${prefix} collate "C" and w.word < ${prefix + LAST_CHARACTER} collate "C" and w.word <> all(${except}::text[]))`,
  )
  return joined([sql`w.word = any(${exact}::text[] || ${inflected})`, ...ranges], ' or ')
}

/** The stored words within the edit distances of a selection. The database finds words of about the same length and characters. */
async function nearWords(
  connection: Connection,
  layout: Layout,
  { table, revision }: SearchedTable,
  { near, nearOf }: WordSelection,
): Promise<readonly string[]> {
  if (near.length === 0) return []
  const { state, words } = searchTablesOf(layout)
  const sizes = near.flatMap(({ word, distance }) => [word.length - distance, word.length + distance])
  const alike = near.map(
    ({ word, distance }) => sql`(size between ${word.length - distance} and ${word.length + distance}
      and bit_count((signature # ${letterSignature(word)})::bit(64)) <= ${maxDifference(distance)})`,
  )
  const { rows } = await connection.query(
    sql`select distinct word from ${words}
      where generation = (select generation from ${state} where table_name = ${table} and revision = ${revision})
        and size between ${Math.min(...sizes)} and ${Math.max(...sizes)} and (${joined(alike, ' or ')})`,
  )
  return nearOf(rows.map(([word]) => word ?? ''))
}
