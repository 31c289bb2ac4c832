import type { Progress, RecordWords, SearchedTable, TextAnalyser } from '../../search-storage.ts'
import type { Connection } from '../connection/database.ts'
import type { Layout } from '../layout/layout.ts'
import { identifier, joined, type Sql, sql } from '../sql.ts'
import { chunkOf, eachPlace, letterSignature, type Place, placesText } from './places.ts'
import { readJson, recordTexts, resetWords, type SearchTables, searchTablesOf, TRUNCATED, textBytes } from './search-tables.ts'

/** Number of words of texts, or of rows, between two pauses. */
const WORK_BETWEEN_PAUSES = 5000

const WORDS_A_STEP = 1000

/** A transaction takes no further record after this number of bytes of texts. */
const MAX_BYTES = 4 * 2 ** 20
/** Number of words that one statement stores. */
const WORDS_A_STATEMENT = 10_000

/**
 * Settings that are off in these transactions: plans that read whole tables, since the planner knows little of tables that were just filled,
 * and every statement needs few rows; and the compilation of statements, which the planner chooses for the plans that are left, and which
 * takes longer than they do.
 */
const OFF = ['hashjoin', 'mergejoin', 'seqscan', 'bitmapscan', 'sort', 'material'].map((plan) => `enable_${plan}`).concat('jit')

/** A changed record with its stored words and its present ones. */
interface Change {
  readonly id: number
  readonly stored: { readonly words: readonly string[]; readonly lengths: readonly number[] } | undefined
  readonly texts: readonly string[] | undefined
}

/** New places of a word in a chunk. The places of the `removed` records are obsolete. */
interface WordChange {
  readonly word: string
  readonly chunk: number
  readonly removed: Set<number>
  readonly added: Place[]
}

interface WordWriterParts {
  readonly connection: Connection
  readonly layout: Layout
  readonly searched: SearchedTable
  readonly analyser: TextAnalyser
  readonly pause: () => Promise<unknown>
}

/** What a transaction stores: the words of some changed records. Another transaction that stores words of the same table waits, or skips. */
export class WordWriter {
  readonly #parts: WordWriterParts
  readonly #tables: SearchTables
  #work = 0

  constructor(parts: WordWriterParts) {
    this.#parts = parts
    this.#tables = searchTablesOf(parts.layout)
  }

  /** Stores the words of the records that changed first. */
  async storeNext(limit: number): Promise<Progress> {
    const { state } = this.#tables
    const { table, fields, revision } = this.#parts.searched
    const locked = await this.#parts.connection.query(
      sql`select number, generation, ${joined(OFF.map((name) => sql`set_config(${name}, 'off', true)`))} from ${state}
        where table_name = ${table} and fields = ${fields}::text[] and revision = ${revision} for update skip locked`,
    )
    const [number, generation] = (locked.rows[0] ?? []).map(Number)
    if (number === undefined || generation === undefined) return 'busy'
    // A statement of its own, so that it sees what the previous holder of the lock committed.
    const { numbers, changes, hasMore } = await this.#changes(number, generation, limit)
    if (numbers.length === 0) return 'none'
    if (changes.some(({ id }) => id === TRUNCATED)) {
      await resetWords(this.#parts.connection, this.#parts.layout, this.#parts.searched, number)
      return 'more'
    }
    await this.#store(number, generation, numbers, changes)
    return hasMore ? 'more' : 'none'
  }

  async #changes(number: number, generation: number, limit: number) {
    const { changes, documents } = this.#tables
    const { table } = this.#parts.searched
    const records = this.#parts.layout.of(table)
    const bytes = textBytes(records, identifier('r'), this.#parts.searched)
    const { rows } = await this.#parts.connection.query(
      sql`with next as materialized (
          select change, id from ${changes} where number = ${number} order by change limit ${limit}
        ), sized as (
          select n.change, n.id, sum(${bytes}) over (order by n.change) - (${bytes}) as before
          from next n left join ${records.table} r on r.id = n.id
        )
        select c.change, c.id, d.words, array_to_json(d.lengths),
          case when r.id is not null then ${recordTexts(records, identifier('r'), this.#parts.searched)} end,
          (select count(*) from next)
        from sized c
        left join ${documents} d on d.generation = ${generation} and d.id = c.id
        left join ${records.table} r on r.id = c.id
        where c.before < ${MAX_BYTES}
        order by c.change`,
    )
    const available = Number(rows[0]?.[5] ?? 0)
    const byId = new Map<number, Change>()
    for (const [, id, words, lengths, texts] of rows) {
      const stored =
        words === null || words === undefined ? undefined : { words: wordsOf(words), lengths: readJson<number[]>(lengths) ?? [] }
      byId.set(Number(id), { id: Number(id), stored, texts: readJson<string[]>(texts) })
    }
    const hasMore = rows.length < available || available === limit
    return { numbers: rows.map(([change]) => String(change)), changes: [...byId.values()], hasMore }
  }

  async #store(number: number, generation: number, numbers: readonly string[], changes: readonly Change[]): Promise<void> {
    const byPlace = new Map<string, WordChange>()
    const documents = { ids: [] as number[], words: [] as string[], lengths: [] as string[], removed: [] as number[] }
    const totals = { records: 0, lengths: this.#parts.searched.fields.map(() => 0) }
    const count = (lengths: readonly number[], sign: 1 | -1) => {
      totals.records += sign
      for (const [field, length] of lengths.entries()) totals.lengths[field] = (totals.lengths[field] ?? 0) + sign * length
    }
    for (const { id, stored, texts } of changes) {
      const present = texts === undefined ? undefined : await this.#parts.analyser.analyse(texts, this.#parts.pause)
      if (stored !== undefined) count(stored.lengths, -1)
      if (present !== undefined) count(present.lengths, 1)
      for (const work of changeSteps(byPlace, id, stored?.words ?? [], present)) await this.#pauseAfter(work)
      if (present === undefined) documents.removed.push(id)
      else {
        documents.ids.push(id)
        documents.words.push([...present.words.keys()].join(' '))
        documents.lengths.push(`{${present.lengths.join()}}`)
      }
    }
    const all = [...byPlace.values()]
    for (let at = 0; at < all.length; at += WORDS_A_STATEMENT)
      await this.#storeWords(generation, all.slice(at, at + WORDS_A_STATEMENT))
    const { changes: changed, documents: kept, state } = this.#tables
    await this.#parts.connection.query(sql`
      with documents as (
        insert into ${kept} (generation, id, words, lengths)
        select ${generation}::bigint, id, words, lengths::integer[]
        from unnest(${documents.ids}::bigint[], ${documents.words}::text[], ${documents.lengths}::text[]) given (id, words, lengths)
        on conflict (generation, id) do update set words = excluded.words, lengths = excluded.lengths
      ), removed as (
        delete from ${kept} where generation = ${generation} and id = any(${documents.removed}::bigint[])
      ), done as (
        delete from ${changed} where number = ${number} and change between ${numbers[0] ?? 0} and ${numbers.at(-1) ?? 0}
          and change = any(${numbers}::bigint[])
      )
      update ${state} set records = records + ${totals.records}, lengths = array(
        select a + b from unnest(lengths, ${totals.lengths}::bigint[]) with ordinality sums (a, b, position) order by position)
      where number = ${number}`)
  }

  async #storeWords(generation: number, changes: readonly WordChange[]): Promise<void> {
    const rows = await this.#rows(generation, changes)
    await this.#parts.connection.query(sql`
      insert into ${this.#tables.words} (generation, word, chunk, places, stem, size, signature)
      select ${generation}::bigint, * from ${rows}
      on conflict (generation, word, chunk) do update set places = excluded.places`)
  }

  /** The rows of the changed words. */
  async #rows(generation: number, changes: readonly WordChange[]): Promise<Sql> {
    const { words } = this.#tables
    const { rows } = await this.#parts.connection.query(
      sql`select given.word, given.chunk, w.places, w.chunk is not null or o.chunk is not null
        from unnest(${changes.map(({ word }) => word)}::text[], ${changes.map(({ chunk }) => chunk)}::bigint[]) given (word, chunk)
        left join ${words} w on w.generation = ${generation} and w.word = given.word and w.chunk = given.chunk
        left join lateral (select o.chunk from ${words} o where o.generation = ${generation} and o.word = given.word limit 1) o on true`,
    )
    const stored = new Map(rows.map((row) => [`${row[0]} ${row[1]}`, row]))
    const known = new Set<string>()
    const columns = { words: [] as string[], chunks: [] as number[], places: [] as string[] }
    const first = { stems: [] as (string | null)[], sizes: [] as (number | null)[], signatures: [] as (bigint | null)[] }
    for (const { word, chunk, removed, added } of changes) {
      const [, , places, isKnown] = stored.get(`${word} ${chunk}`) ?? []
      const isFirst = isKnown !== 't' && !known.has(word)
      known.add(word)
      const merged = mergedPlaces(chunk, places ?? '', removed, added)
      await this.#pauseAfter(merged.length)
      columns.words.push(word)
      columns.chunks.push(chunk)
      columns.places.push(placesText(merged))
      const stem = isFirst ? this.#parts.analyser.stemOf(word) : word
      first.stems.push(stem === word ? null : stem)
      first.sizes.push(isFirst ? word.length : null)
      first.signatures.push(isFirst ? letterSignature(word) : null)
    }
    return sql`unnest(${columns.words}::text[], ${columns.chunks}::bigint[], ${columns.places}::text[],
      ${first.stems}::text[], ${first.sizes}::integer[], ${first.signatures}::bigint[]) given (word, chunk, places, stem, size, signature)`
  }

  async #pauseAfter(work: number): Promise<void> {
    this.#work += work
    if (this.#work < WORK_BETWEEN_PAUSES) return
    this.#work = 0
    await this.#parts.pause()
  }
}

const wordsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(' '))

/** Notes the removed and added places of a record, in steps. Each yields the number of its words. */
function* changeSteps(
  byPlace: Map<string, WordChange>,
  id: number,
  stored: readonly string[],
  present: RecordWords | undefined,
): Generator<number, void> {
  const chunk = chunkOf(id)
  const changeOf = (word: string): WordChange => {
    const key = `${word} ${chunk}`
    const known = byPlace.get(key)
    if (known !== undefined) return known
    const change = { word, chunk, removed: new Set<number>(), added: [] }
    byPlace.set(key, change)
    return change
  }
  let words = 0
  for (const word of stored) {
    changeOf(word).removed.add(id)
    if (++words % WORDS_A_STEP === 0) yield WORDS_A_STEP
  }
  for (const [word, occurrences] of present?.words ?? []) {
    const { added } = changeOf(word)
    for (const { field, times } of occurrences) added.push({ id, field, times, length: present?.lengths[field] ?? 0 })
    if (++words % WORDS_A_STEP === 0) yield WORDS_A_STEP
  }
  yield words % WORDS_A_STEP
}

/** The places of a word in a chunk after a change, in order. */
function mergedPlaces(chunk: number, text: string, removed: ReadonlySet<number>, added: readonly Place[]): readonly Place[] {
  const places = [...added]
  eachPlace(chunk, text, (id, field, times, length) => {
    if (!removed.has(id)) places.push({ id, field, times, length })
  })
  return places.sort((a, b) => a.id - b.id || a.field - b.field)
}
