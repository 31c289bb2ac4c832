import { AppError } from '../../../errors.ts'
import { FILE_TABLE } from '../../../model/files.ts'
import type { Registry } from '../../../model/registry.ts'
import { Renames } from '../../../model/renames.ts'
import { isObject, type Json } from '../../../util/json.ts'
import { HISTORY_TABLE, type StoredRecord } from '../../store.ts'
import type { JournalEntry } from './journal-format.ts'
import type { Snapshot } from './snapshot.ts'
import { countLines, linesOf, parseLines, type SnapshotPart } from './snapshot-lines.ts'

/** Next id and number of records of a stored table. */
interface TableSize {
  nextId: number
  records: number
}

/** Reads the content of a data folder under the present names of models and fields, as `was` declares them. */
export class Renaming {
  readonly #names: Renames
  /** Renamed records by `table.field`, or by table for a renamed model. */
  readonly #renamed = new Map<string, number>()
  /** Sizes of the tables that take part in a rename, by the name in the snapshot. */
  #sizes = new Map<string, TableSize>()

  constructor(registry: Registry | undefined) {
    this.#names = new Renames(registry)
  }

  /** The renames that were found in the data, as messages. */
  get messages(): string[] {
    return [...this.#renamed].map(([what, records]) => `${what}: ${records} ${records === 1 ? 'record' : 'records'} renamed`)
  }

  /**
   * The content under the present names. Parts of the snapshot are renamed as they are read.
   *
   * @throws {AppError} RENAME_CONFLICT if former and present name both hold data
   */
  async apply(
    snapshot: Snapshot,
    entries: readonly JournalEntry[],
  ): Promise<{ snapshot: Snapshot; entries: readonly JournalEntry[] }> {
    if (!this.#names.any) return { snapshot, entries }
    this.#renamed.clear()
    this.#sizes = this.#names.tables.size === 0 ? new Map() : await this.#measure(snapshot)
    this.#rejectConflicts(entries)
    for (const [was, key] of this.#names.tables) {
      const size = this.#sizes.get(was)
      if (size !== undefined) this.#count(`${was} → ${key}`, size.records)
    }
    const isVerified = snapshot.file?.origin === 'ours'
    const parts = { [Symbol.asyncIterator]: () => this.#parts(snapshot.parts, isVerified) }
    return { snapshot: { ...snapshot, parts }, entries: entries.map((entry) => this.#entry(entry)) }
  }

  /** The tables of a store in memory under the present names. */
  tables<T extends { readonly nextId: number; readonly records: readonly StoredRecord[] }>(
    stored: ReadonlyMap<string, T>,
  ): Map<string, { nextId: number; records: readonly StoredRecord[] }> {
    this.#sizes = new Map([...stored].map(([name, { nextId, records }]) => [name, { nextId, records: records.length }]))
    this.#rejectConflicts([])
    const tables = new Map<string, { nextId: number; records: readonly StoredRecord[] }>()
    for (const [name, { nextId, records }] of stored) {
      const table = this.#names.table(name)
      const former = tables.get(table)
      const renamed = records.map((record) => this.#record(table, record))
      tables.set(table, {
        nextId: Math.max(nextId, former?.nextId ?? 1),
        records: renamed.length > 0 ? renamed : (former?.records ?? []),
      })
    }
    return tables
  }

  /** Sizes of the snapshot's tables with the former or present name of a renamed model. */
  async #measure({ parts }: Snapshot): Promise<Map<string, TableSize>> {
    const involved = new Set([...this.#names.tables].flat())
    const sizes = new Map<string, TableSize>()
    let size: TableSize | undefined
    for await (const part of parts) {
      if (part.kind === 'table') {
        size = { nextId: part.nextId, records: 0 }
        if (involved.has(part.name)) sizes.set(part.name, size)
      } else if (size !== undefined) size.records += part.kind === 'lines' ? countLines(part.lines) : part.records.length
    }
    return sizes
  }

  #rejectConflicts(entries: readonly JournalEntry[]): void {
    if (this.#names.tables.size === 0) return
    const filled = new Set([...this.#sizes].flatMap(([name, { records }]) => (records > 0 ? [name] : [])))
    for (const { changes } of entries) for (const [table, , after] of changes) if (after !== null) filled.add(table)
    for (const [was, key] of this.#names.tables) {
      if (!filled.has(was) || !filled.has(key)) continue
      throw new AppError(
        'RENAME_CONFLICT',
        `The model '${key}' was '${was}', but records of both names are stored; remove \`was\` to keep those of '${key}', or remove one of the tables from db.json`,
      )
    }
  }

  async *#parts(parts: AsyncIterable<SnapshotPart>, isVerified: boolean): AsyncGenerator<SnapshotPart> {
    let table = ''
    for await (const part of parts) {
      if (part.kind === 'table') {
        table = this.#names.table(part.name)
        const twin = this.#twinOf(part.name)
        if (twin === undefined) yield { ...part, name: table }
        else if (this.#holdsRecords(part.name, twin)) yield { ...part, name: table, nextId: Math.max(part.nextId, twin.nextId) }
      } else yield this.#part(table, part, isVerified)
    }
  }

  /** The stored table that becomes the same table as this one. */
  #twinOf(name: string): (TableSize & { readonly name: string }) | undefined {
    for (const [was, key] of this.#names.tables) {
      const other = name === was ? key : name === key ? was : undefined
      const size = other === undefined ? undefined : this.#sizes.get(other)
      if (other !== undefined && size !== undefined) return { ...size, name: other }
    }
    return undefined
  }

  /** Of two tables that become one, the one with records remains; of two empty ones the one with the present name. */
  #holdsRecords(name: string, twin: { readonly records: number }): boolean {
    const own = this.#sizes.get(name)?.records ?? 0
    return own > 0 || (twin.records === 0 && !this.#names.tables.has(name))
  }

  #part(table: string, part: SnapshotPart & { kind: 'lines' | 'records' }, isVerified: boolean): SnapshotPart {
    const namesOthers = table === HISTORY_TABLE || table === FILE_TABLE
    const former = namesOthers ? this.#names.former : [...this.#names.fieldsOf(table).keys()]
    if (former.length === 0) return part
    if (part.kind === 'records') return { ...part, records: part.records.map((record) => this.#value(table, record)) }
    // Lines of an edited file need not be records, and write keys in any way.
    if (!isVerified) {
      return { kind: 'records', records: parseLines(part.lines, part.line).map((record) => this.#value(table, record)) }
    }
    if (!former.some((was) => part.lines.includes(JSON.stringify(was)))) return part
    const records = parseLines(part.lines).map((record) => this.#value(table, record))
    return { ...part, lines: Buffer.from(linesOf(records)) }
  }

  #value = (table: string, value: unknown): unknown => (isObject(value) ? this.#record(table, value as StoredRecord) : value)

  #record(table: string, record: StoredRecord): StoredRecord {
    if (table === HISTORY_TABLE) return this.#noted(record, renamedEntry(record, this.#names), 'history entries')
    if (table === FILE_TABLE) return this.#noted(record, renamedPlace(record, this.#names), 'places of files')
    const fields = this.#names.fieldsOf(table)
    if (fields.size === 0) return record
    const renamed = renamedRecord(table, record, fields)
    if (renamed === record) return record
    for (const [was, name] of fields) if (Object.hasOwn(record, was)) this.#count(`${table}.${was} → ${table}.${name}`, 1)
    return renamed
  }

  #noted(record: StoredRecord, renamed: StoredRecord, what: string): StoredRecord {
    if (renamed !== record) this.#count(what, 1)
    return renamed
  }

  #entry({ sequence, changes, nextIds }: JournalEntry): JournalEntry {
    const next: Record<string, number> = {}
    for (const [name, id] of Object.entries(nextIds)) {
      const table = this.#names.table(name)
      next[table] = Math.max(id, next[table] ?? 1)
    }
    const renamed = changes.map(([name, id, after]) => {
      const table = this.#names.table(name)
      return [table, id, after && this.#record(table, after)] as const
    })
    return { sequence, changes: renamed, nextIds: next }
  }

  #count(what: string, records: number): void {
    this.#renamed.set(what, (this.#renamed.get(what) ?? 0) + records)
  }
}

/** A history entry that names its model and the changed fields as they are called now; the entry itself if it does so already. */
function renamedEntry(entry: StoredRecord, names: Renames): StoredRecord {
  const { model, changes } = entry
  if (typeof model !== 'string') return entry
  const table = names.table(model)
  const fields = names.fieldsOf(table)
  const isRenamed = (name: string, all: object) => fields.has(name) && !Object.hasOwn(all, fields.get(name) ?? name)
  const hasFormer = isObject(changes) && Object.keys(changes).some((name) => isRenamed(name, changes))
  if (table === model && !hasFormer) return entry
  if (!hasFormer) return { ...entry, model: table }
  const renamed = Object.entries(changes).map(([name, change]) => [
    isRenamed(name, changes) ? (fields.get(name) ?? name) : name,
    change,
  ])
  return { ...entry, model: table, changes: Object.fromEntries(renamed) }
}

/** A row of the registry of files that names its model and field as they are called now; the row itself if it does so already. */
function renamedPlace(row: StoredRecord, names: Renames): StoredRecord {
  const { model, field } = row
  if (typeof model !== 'string' || typeof field !== 'string') return row
  const table = names.table(model)
  const name = names.fieldsOf(table).get(field) ?? field
  return table === model && name === field ? row : { ...row, model: table, field: name }
}

/**
 * A record under the present names of its fields; the record itself if it has none of the former names. Fields keep their
 * position. A present field without a value gives way to the former one.
 *
 * @param fields present names by former names
 * @throws {AppError} RENAME_CONFLICT if both names have values, which differ
 */
function renamedRecord(table: string, record: StoredRecord, fields: ReadonlyMap<string, string>): StoredRecord {
  let isRenamed = false
  for (const was of fields.keys()) isRenamed ||= Object.hasOwn(record, was)
  if (!isRenamed) return record
  const values = new Map<string, Json | undefined>()
  for (const [key, value] of Object.entries(record)) {
    const name = fields.get(key)
    if (name !== undefined) values.set(name, chosen(table, record, key, name))
    else if (!values.has(key)) values.set(key, value)
  }
  return Object.fromEntries(values) as StoredRecord
}

function chosen(table: string, record: StoredRecord, was: string, name: string): Json {
  const former = record[was] ?? null
  const present = record[name] ?? null
  if (former !== null && present !== null && JSON.stringify(former) !== JSON.stringify(present)) {
    throw new AppError(
      'RENAME_CONFLICT',
      `'${table}' has a field '${name}' that was '${was}', but record ${record.id} has different values of both; remove \`was: ${was}\` to keep '${name}', or correct the record`,
    )
  }
  return former ?? present
}
