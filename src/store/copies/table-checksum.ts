import { createHash } from 'node:crypto'
import type { Model } from '../../model/model.ts'
import type { StoredRecord } from '../store.ts'

/** The number of records of a model, and a checksum of all of them. */
export interface CopiedModel {
  readonly model: string
  readonly records: number
  /** SHA-256 in hexadecimal digits. */
  readonly checksum: string
  readonly nextId: number
}

/** The checksum of the records of a model in id order: the same on every engine for the same values. */
export class TableChecksum {
  readonly #model: Model
  readonly #names: readonly string[]
  readonly #hash = createHash('sha256')
  #records = 0

  constructor(model: Model) {
    this.#model = model
    this.#names = [...model.fields.keys()]
  }

  /** Adds the next record. Values of other fields than the model's do not count, and a missing value counts as null. */
  add(record: StoredRecord): void {
    this.#records++
    this.#hash.update(JSON.stringify(this.#names.map((name) => record[name] ?? null)))
  }

  /** The result, after the last record. */
  result(nextId: number): CopiedModel {
    return { model: this.#model.key, records: this.#records, checksum: this.#hash.digest('hex'), nextId }
  }
}
