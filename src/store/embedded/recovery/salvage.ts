import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { duplicateKey } from '../../../util/duplicate-keys.ts'
import { isObject } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { JOURNAL, tableOf } from '../snapshot/lines.ts'

/** The readable part of a table. */
export interface SalvagedTable {
  nextId: number
  readonly records: Map<number, StoredRecord>
}

/** Collects readable records, and messages about the others. */
export class Salvage {
  readonly tables = new Map<string, SalvagedTable>()
  readonly leftOut: string[] = []
  /** Name of the journal file that the data file expects. */
  journal: string | undefined

  clear(): void {
    this.tables.clear()
    this.leftOut.length = 0
  }

  table(name: string, nextId: number): SalvagedTable {
    const table = this.tables.get(name) ?? { nextId: 1, records: new Map<number, StoredRecord>() }
    this.tables.set(name, table)
    table.nextId = Math.max(table.nextId, nextId)
    return table
  }

  /** Adds a value if it is a record with an id. */
  add(name: string, value: unknown, place: string): void {
    const table = this.table(name, 1)
    const id = isObject(value) ? value.id : undefined
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) this.leftOut.push(`${place}: it has no valid id`)
    else if (table.records.has(id)) this.leftOut.push(`${place}: another ${name} has the id ${id}`)
    else {
      table.records.set(id, value as StoredRecord)
      table.nextId = Math.max(table.nextId, id + 1)
    }
  }
}

/** Lines of the layout that contain no record. */
const FRAME = /^(\{|\},?|\]\},?|"format": \d+,|"journal": .*|"tables": \{|"checksum": .*|)$/

/**
 * Reads a data file that is not valid JSON, line by line.
 *
 * @returns the last transaction contained in it, if the file still states it
 */
export async function salvageLines(path: string, salvage: Salvage): Promise<number | undefined> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  let sequence: number | undefined
  let table: string | undefined
  let number = 0
  for await (const text of lines) {
    number++
    const line = text.trim()
    const place = `db.json line ${number}`
    const head = tableOf(line)
    const stated = /^"sequence": (\d+),$/.exec(line)?.[1]
    if (table === undefined) salvage.journal ??= JOURNAL.exec(line)?.[1]
    if (head !== undefined) {
      salvage.table(head.name, head.nextId)
      table = head.name
    } else if (stated !== undefined) sequence = Number(stated)
    else if (FRAME.test(line)) {
      if (line.startsWith(']')) table = undefined
    } else {
      const record = parsed(line.replace(/,$/, ''))
      if (record === undefined) salvage.leftOut.push(`${place}: it is not valid JSON`)
      else if (table === undefined) salvage.leftOut.push(`${place}: its table is unknown`)
      else {
        const twice = await duplicateKey(text, record)
        if (twice !== undefined)
          salvage.leftOut.push(`${place}: the key ${JSON.stringify(twice.key)} occurs twice; only its last value is saved`)
        salvage.add(table, record, place)
      }
    }
  }
  return sequence
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
