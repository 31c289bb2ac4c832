import type { Field } from '../../../model/field.ts'
import type { Model, UniqueKey } from '../../../model/model.ts'
import type { Registry } from '../../../model/registry.ts'
import { isObject, type Json } from '../../../util/json.ts'
import { referencesOf, type StoredRecord } from '../../store.ts'
import { valueProblems } from '../../transaction/field-constraints.ts'

/** The first faults, and their total number. */
export interface ValidationResult {
  readonly faults: readonly RecordFault[]
  readonly faultCount: number
  readonly records: number
}

/** Maximum number of faults listed. */
const MAX_FAULTS = 50

/** Validates the records of a data file against the models. Records of tables without a model only need ids. */
export class StoredDataValidator {
  readonly #models: ReadonlyMap<string, Model>
  readonly #tables = new Map<string, TableValidator>()
  readonly #faults: RecordFault[] = []
  #faultCount = 0
  #records = 0

  /** @param registry undefined checks ids only */
  constructor(registry: Registry | undefined) {
    this.#models = new Map((registry?.all ?? []).map((model) => [model.key, model]))
  }

  /** Starts a table, whose records follow in file order. */
  table(name: string, line?: number): TableValidator {
    if (this.#tables.has(name)) this.#report({ path: `tables.${name}`, problem: 'occurs twice', ...(line && { line }) })
    const validator = new TableValidator(name, line, this.#models.get(name), (fault) => this.#report(fault))
    this.#tables.set(name, validator)
    return validator
  }

  /**
   * Adds a record of the journal. It was validated when written, so only its unique values and references are checked against
   * the file.
   */
  journalRecord(table: string, record: StoredRecord): void {
    const validator = this.#tables.get(table) ?? this.table(table)
    validator.journalRecord(record)
  }

  /** Checks references, which needs all records. */
  finish(): ValidationResult {
    for (const table of this.#tables.values()) {
      this.#records += table.count
      for (const { field, target, index, id } of table.references()) {
        if (this.#tables.get(target)?.has(id) === true) continue
        this.#report(table.fault(index, field, `refers to ${target} ${id}, which does not exist`))
      }
    }
    return { faults: this.#faults, faultCount: this.#faultCount, records: this.#records }
  }

  #report(fault: RecordFault): void {
    this.#faultCount++
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault)
  }
}

/** Formats faults, one a line. */
export function faultLines({ faults, faultCount }: ValidationResult): string[] {
  const lines = faults.map(faultLine)
  return faultCount > faults.length ? [...lines, `… and ${faultCount - faults.length} more`] : lines
}

function faultLine({ path, problem, id, line }: RecordFault): string {
  const place = [id === undefined ? '' : `id ${id}`, line === undefined ? '' : `line ${line}`].filter((word) => word !== '')
  return `${path} ${problem}${place.length === 0 ? '' : ` (${place.join(', ')})`}`
}

/** A value in a data file that violates its model. `path` and `problem` form a sentence. */
interface RecordFault {
  /** `tables.user.records[3].age` */
  readonly path: string
  readonly problem: string
  readonly id?: number
  /** Counts from 1; known for files with one record a line. */
  readonly line?: number
}

/** Position of a record that comes from the journal: negative, and derived from its id. */
const journalPosition = (id: number): number => -id
const isFromJournal = (position: number): boolean => position < 0

/** A unique key, and the position of the record that has each value. */
type Unique = UniqueKey & { readonly owners: Map<Json, number> }

/** Validates the records of one table. */
export class TableValidator {
  readonly #name: string
  readonly #line: number | undefined
  readonly #report: (fault: RecordFault) => void
  readonly #fields: readonly Field[]
  readonly #unique: readonly Unique[]
  /** `found` holds pairs of a record's position and the id that it refers to. */
  readonly #links: readonly { readonly name: string; readonly target: string; readonly found: number[] }[]
  /** Positions of the final records by id. */
  readonly #positions = new Map<number, number>()
  /** Ids of the file's records by position. */
  readonly #ids: (number | undefined)[] = []

  constructor(name: string, line: number | undefined, model: Model | undefined, report: (fault: RecordFault) => void) {
    this.#name = name
    this.#line = line
    this.#report = report
    this.#fields = [...(model?.fields.values() ?? [])].filter((field) => field.name !== 'id')
    this.#unique = (model?.uniqueKeys ?? []).map((key) => ({ ...key, owners: new Map() }))
    this.#links = [...(model?.relations.values() ?? [])].map(({ name, relation: { target } }) => ({ name, target, found: [] }))
  }

  /** Number of records of the file so far. */
  get count(): number {
    return this.#ids.length
  }

  /** True if the table finally contains a record with this id. */
  has(id: number): boolean {
    return this.#positions.has(id)
  }

  /**
   * Validates the next record of the file.
   *
   * @param isReplaced true if the journal replaces or removes this record
   * @returns the record, if it has a usable id
   */
  record(value: unknown, isReplaced: boolean): StoredRecord | undefined {
    const index = this.#ids.length
    const id = isObject(value) ? value.id : undefined
    const hasId = typeof id === 'number' && Number.isSafeInteger(id) && id >= 1
    this.#ids.push(hasId ? id : undefined)
    if (!hasId) {
      this.#report(this.fault(index, '', 'must have an id, an integer from 1'))
      return undefined
    }
    const other = this.#positions.get(id)
    if (other !== undefined) {
      this.#report(this.fault(index, '', `has the id ${id}, as has records[${other}]`))
      return undefined
    }
    this.#positions.set(id, index)
    const record = value as StoredRecord
    for (const field of this.#fields) {
      const stored = record[field.name] ?? null
      if (stored === null) {
        if (field.required) this.#report(this.fault(index, field.name, 'is mandatory'))
      } else {
        for (const problem of valueProblems(field, stored)) this.#report(this.fault(index, field.name, problem))
      }
    }
    if (isReplaced) this.#positions.delete(id)
    else this.#collect(record, index)
    return record
  }

  /** Adds a record of the journal, which is not validated itself. */
  journalRecord(record: StoredRecord): void {
    const position = journalPosition(record.id)
    this.#positions.set(record.id, position)
    this.#collect(record, position)
  }

  /** All references of the table's records, with the position of the record. */
  *references(): Generator<{ field: string; target: string; index: number; id: number }> {
    for (const { name, target, found } of this.#links) {
      for (let at = 0; at < found.length; at += 2) yield { field: name, target, index: found[at] ?? 0, id: found[at + 1] ?? 0 }
    }
  }

  /** Describes a fault of the record at a position. */
  fault(index: number, field: string, problem: string): RecordFault {
    const record = isFromJournal(index) ? `the journal's ${this.#name}` : `tables.${this.#name}.records[${index}]`
    const path = `${record}${field && `.${field}`}`
    const id = isFromJournal(index) ? -index : this.#ids[index]
    const line = this.#line !== undefined && !isFromJournal(index) ? this.#line + 1 + index : undefined
    return { path, problem, ...(id !== undefined && { id }), ...(line !== undefined && { line }) }
  }

  /** Checks unique values and collects references. */
  #collect(record: StoredRecord, index: number): void {
    for (const { field: name, keyOf, problem, owners } of this.#unique) {
      const value = keyOf(record)
      if (value === null) continue
      const owner = owners.get(value)
      if (owner === undefined) owners.set(value, index)
      else if (!isFromJournal(index)) this.#report(this.fault(index, name, `${problem}, and records[${owner}] has the same`))
      else if (!isFromJournal(owner))
        this.#report(this.fault(owner, name, `${problem}, and ${this.#name} ${record.id} has the same`))
    }
    for (const { name, found } of this.#links) {
      const value = record[name] ?? null
      if (value !== null) for (const id of referencesOf(record, name)) found.push(index, id)
    }
  }
}
