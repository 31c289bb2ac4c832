import { matcher, type Predicate } from '../query/match.ts'
import { type Filter, filtersIn, isFieldFilter, isRelationFilter } from '../query/plan.ts'
import { type RecordReader, referencesOf, type StoredRecord } from '../store/store.ts'
import { mapInSlices } from '../util/slices.ts'

/** A related record, as it was read; undefined if there was none. */
export interface RelatedRecord {
  readonly table: string
  readonly id: number
  readonly record: StoredRecord | undefined
}

/** Judges records, as they were read, by filters, and remembers which related records it has read for that. */
export class JudgedRecords {
  readonly #reader: RecordReader
  readonly #records: readonly StoredRecord[]
  readonly #related = new Map<string, Map<number, RelatedRecord>>()

  constructor(reader: RecordReader, records: readonly StoredRecord[]) {
    this.#reader = reader
    this.#records = records
  }

  /** The related records that the judgements depend on. */
  get related(): readonly RelatedRecord[] {
    return [...this.#related.values()].flatMap((each) => [...each.values()])
  }

  /** The records that do not match a filter, which is undefined if all do. */
  async unmatched(filter: Filter | undefined): Promise<readonly StoredRecord[]> {
    if (filter === undefined) return []
    await this.#read(filter, this.#records)
    const matches = this.#matcher(filter)
    const areMatches = await mapInSlices(this.#records, matches)
    return this.#records.filter((_, index) => areMatches[index] !== true)
  }

  /** Reads the related records by which a filter judges records, those of each relation at once. */
  async #read(filter: Filter, records: readonly StoredRecord[]): Promise<void> {
    if (isFieldFilter(filter)) return
    if (!isRelationFilter(filter)) {
      for (const each of filtersIn(filter)) await this.#read(each, records)
      return
    }
    const { field, target: table } = filter
    const known = this.#related.get(table) ?? new Map<number, RelatedRecord>()
    this.#related.set(table, known)
    const ids = [...new Set(records.flatMap((record) => referencesOf(record, field)))]
    const missing = ids.filter((id) => !known.has(id))
    const found = await this.#reader.get(table, missing)
    for (const [index, id] of missing.entries()) known.set(id, { table, id, record: found[index] })
    await this.#read(
      filter.filter,
      ids.flatMap((id) => known.get(id)?.record ?? []),
    )
  }

  #matcher(filter: Filter): Predicate {
    return matcher(filter, ({ field, target, filter: inner }) => {
      const matches = this.#matcher(inner)
      return (record) =>
        referencesOf(record, field).some((id) => {
          const related = this.#related.get(target)?.get(id)?.record
          return related !== undefined && matches(related)
        })
    })
  }
}
