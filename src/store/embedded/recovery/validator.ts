import type { Model } from '../../../model/model.ts'
import type { Registry } from '../../../model/registry.ts'
import type { StoredRecord } from '../../store.ts'
import { type RecordFault, TableValidator } from './table-validator.ts'

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
