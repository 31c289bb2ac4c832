import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Adapter } from 'lowdb'
import { AppError } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { nodeDisk } from './disk.ts'
import type { StoredRecord } from './store.ts'

const FORMAT = 1
const CHUNK_CHARACTERS = 1 << 16

/** Everything that is stored, as it stands in `db.json`. */
export interface Snapshot {
  /** The last transaction that is part of it; the journal holds those that came later. */
  readonly sequence: number
  readonly tables: ReadonlyMap<string, TableSnapshot>
}

export interface TableSnapshot {
  readonly nextId: number
  readonly records: readonly StoredRecord[]
}

/**
 * Keeps a snapshot in one JSON file, one record a line in the order of ids, so that a person can read it and git shows a
 * useful diff. The file is replaced as a whole: after a crash there is the old one or the new one.
 */
export class SnapshotAdapter implements Adapter<Snapshot> {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /**
   * @returns null when there is no file yet
   * @throws {AppError} DATA_CORRUPT when the file is not a snapshot
   */
  async read(): Promise<Snapshot | null> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw new AppError('TASK_FAILED', `${this.#path} cannot be read: ${error.message}`, { cause: error })
    })
    return text === null ? null : this.#parse(text)
  }

  async write(snapshot: Snapshot): Promise<void> {
    const folder = dirname(this.#path)
    const temporary = `${this.#path}.new`
    await mkdir(folder, { recursive: true })
    try {
      const file = await open(temporary, 'w', 0o600)
      try {
        // A file left behind by a crash keeps its mode.
        await file.chmod(0o600)
        for (const chunk of chunks(snapshot)) await file.writeFile(chunk)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, this.#path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
    await nodeDisk.syncFolder(folder)
  }

  #parse(text: string): Snapshot {
    const document = this.#parseJson(text)
    if (!isObject(document) || document.format !== FORMAT || !isObject(document.tables)) {
      throw this.#corrupt(`it is not a data file of format ${FORMAT}`)
    }
    const sequence = Number.isSafeInteger(document.sequence) ? Number(document.sequence) : 0
    return {
      sequence,
      tables: new Map(Object.entries(document.tables).map(([name, table]) => [name, this.#parseTable(name, table)])),
    }
  }

  #parseTable(name: string, table: unknown): TableSnapshot {
    if (!isObject(table) || !Array.isArray(table.records)) throw this.#corrupt(`tables.${name}.records is not a list`)
    const seen = new Set<number>()
    const records = table.records.map((record: unknown, index) => {
      const id = isObject(record) ? record.id : undefined
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) {
        throw this.#corrupt(`tables.${name}.records[${index}] has no id, which is an integer from 1`)
      }
      if (seen.has(id)) throw this.#corrupt(`tables.${name}.records[${index}] has the id ${id}, which another record has`)
      seen.add(id)
      return Object.freeze(record as StoredRecord)
    })
    const highest = records.reduce((max, record) => Math.max(max, record.id), 0)
    const nextId = Number.isSafeInteger(table.next_id) ? Number(table.next_id) : 1
    return { nextId: Math.max(nextId, highest + 1), records }
  }

  #parseJson(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw this.#corrupt(error instanceof Error ? error.message : String(error))
    }
  }

  #corrupt(reason: string): AppError {
    return new AppError('DATA_CORRUPT', `${this.#path} cannot be read: ${reason}. Restore it from a copy, or mend it by hand`)
  }
}

/** The file in pieces, so that it never stands in memory whole. */
function* chunks(snapshot: Snapshot): Generator<string> {
  let piece = `{\n"format": ${FORMAT},\n"sequence": ${snapshot.sequence},\n"tables": {`
  let firstTable = true
  for (const [name, { nextId, records }] of snapshot.tables) {
    piece += `${firstTable ? '' : ','}\n${JSON.stringify(name)}: {"next_id": ${nextId}, "records": [`
    firstTable = false
    let firstRecord = true
    for (const record of records) {
      piece += `${firstRecord ? '' : ','}\n${JSON.stringify(record)}`
      firstRecord = false
      if (piece.length >= CHUNK_CHARACTERS) {
        yield piece
        piece = ''
      }
    }
    piece += '\n]}'
  }
  yield `${piece}\n}\n}\n`
}
