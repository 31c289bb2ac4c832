import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AppError } from '../../../errors.ts'
import type { Registry } from '../../../model/registry.ts'
import { isObject, tryJson } from '../../../util/json.ts'
import { duplicateKey } from '../../../util/strict-json.ts'
import type { StoredRecord } from '../../store.ts'
import { nodeDisk } from './disk.ts'
import { type FolderProblem, type JournalFile, type JournalSurvey, surveyJournal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import { assertUnheld, lockPath } from './lock.ts'
import { openSnapshot, snapshotPath, thenClose, writeSnapshot } from './recovery.ts'
import { Renaming } from './renaming.ts'
import { ignoreRecords, type RecordConsumer, replay } from './replay.ts'
import { type Origin, partsOf, type Snapshot, type SnapshotDocument } from './snapshot.ts'
import { JOURNAL, tableOf } from './snapshot-lines.ts'
import { faultLines, StoredDataValidator } from './validator.ts'

/** The state of a data folder and its problems. Sizes in bytes. */
export interface FolderReport {
  readonly folder: string
  /** True if a server would start with it. */
  readonly sound: boolean
  /** `origin` tells whether the checksum matches; undefined if the file cannot be read. */
  readonly snapshot: { readonly bytes: number; readonly origin: Origin; readonly sequence: number } | undefined
  readonly journal: readonly JournalFile[]
  /** The last readable transaction. */
  readonly sequence: number
  /** Number of records in each table, including the journal. */
  readonly tables: Readonly<Record<string, number>>
  readonly findings: readonly FolderProblem[]
}

/** Result of a repair: what was saved, and the places of what was not. */
export interface Repair {
  readonly folder: string
  readonly records: number
  readonly transactions: number
  readonly leftOut: readonly string[]
}

/**
 * Examines a data folder without changing it.
 *
 * @throws {AppError} DATA_IN_USE if a process writes to it
 */
export async function examine(folder: string, registry: Registry): Promise<FolderReport> {
  await assertUnheld(lockPath(folder))
  const { snapshot, survey, findings, tables } = await inspect(folder, registry)
  const all = [...findings, ...survey.findings]
  return {
    folder,
    sound: all.every(({ level }) => level !== 'error'),
    snapshot,
    journal: survey.files,
    sequence: survey.last,
    tables: Object.fromEntries(tables),
    findings: all,
  }
}

/** Result of inspecting a data folder, readable or not. */
interface Inspection {
  readonly snapshot: FolderReport['snapshot']
  readonly survey: JournalSurvey
  readonly findings: readonly FolderProblem[]
  readonly tables: ReadonlyMap<string, number>
}

async function inspect(folder: string, registry: Registry): Promise<Inspection> {
  const found = await tryOpen(folder)
  if (found instanceof AppError) return inspectLines(folder, found)
  return thenClose(found, () => inspectSnapshot(folder, registry, found))
}

async function inspectSnapshot(folder: string, registry: Registry, found: Snapshot): Promise<Inspection> {
  const { file, sequence, journal: expected } = found
  const snapshot = file && { bytes: file.bytes, origin: file.origin, sequence }
  const survey = await surveyJournal(folder, nodeDisk, { sequence, expected })
  const validatorFor = () => new StoredDataValidator(registry)
  const renaming = new Renaming(registry)
  const replayed = await replay(found, survey.entries, ignoreRecords, validatorFor, renaming).catch(corruptionOrThrow)
  if (replayed instanceof AppError) {
    if (replayed.code !== 'RENAME_CONFLICT') return inspectLines(folder, replayed)
    return { snapshot, survey, findings: [problem('error', `cannot be renamed: ${replayed.message}`)], tables: new Map() }
  }
  const faults = replayed.validation === undefined ? [] : faultLines(replayed.validation)
  const origin = file?.origin ?? 'ours'
  const warnings = replayed.renamed.map((message) => `holds former names, which the next start replaces: ${message}`)
  if (origin === 'edited') warnings.unshift('was edited since it was written: its checksum does not match')
  if (origin === 'foreign') warnings.unshift('has no checksum, so another program or a person wrote it')
  const findings = [
    ...warnings.map((message) => problem('warning', message)),
    ...faults.map((message) => problem(origin === 'ours' ? 'warning' : 'error', message)),
  ]
  if (origin === 'ours' && faults.length > 0) {
    const start = 'is unchanged since it was written, so a server starts on it'
    findings.push(problem('warning', `${start}; its faults were accepted, or the models have become stricter`))
  }
  return { snapshot, survey, findings, tables: replayed.tables }
}

const problem = (level: FolderProblem['level'], message: string): FolderProblem => ({ level, file: 'db.json', message })

/** Examines a data file that is not valid JSON, line by line. */
async function inspectLines(folder: string, error: AppError): Promise<Inspection> {
  const salvage = new Salvage()
  const sequence = await salvageLines(snapshotPath(folder), salvage)
  const survey = await surveyJournal(folder, nodeDisk, { sequence, expected: salvage.journal })
  applyEntries(survey.entries, salvage)
  const tables = new Map([...salvage.tables].map(([name, { records }]) => [name, records.size]))
  const findings = [error.message, ...salvage.leftOut].map((message) => problem('error', message))
  return { snapshot: undefined, survey, findings, tables }
}

/**
 * Writes what can be saved of a data folder into a new one: all readable records, and the transactions up to the first damage.
 * Files that do not belong to the store are copied. The original does not change.
 *
 * @throws {AppError} DATA_IN_USE if a process writes to it, USAGE if the new folder is not empty
 */
export async function repairInto(folder: string, target: string): Promise<Repair> {
  await assertUnheld(lockPath(folder))
  await assertEmpty(target)
  const salvage = new Salvage()
  const sequence = await salvageAll(folder, salvage)
  const survey = await surveyJournal(folder, nodeDisk, { sequence, expected: salvage.journal })
  applyEntries(survey.entries, salvage)
  await mkdir(target, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw new AppError('TASK_FAILED', `${target} cannot be created: ${cause.message}; name another folder`, { cause })
  })
  await writeSnapshot(target, nodeDisk, { sequence: survey.last, parts: partsOf(tablesOf(salvage)) })
  await copyOtherFiles(folder, target)
  const damages = survey.findings.map(({ file, message }) => `${file} ${message}`)
  const records = [...salvage.tables.values()].reduce((sum, table) => sum + table.records.size, 0)
  return { folder: target, records, transactions: survey.entries.length, leftOut: [...salvage.leftOut, ...damages] }
}

async function assertEmpty(target: string): Promise<void> {
  const remedy = 'name a folder that does not exist yet'
  const names = await nodeDisk.list(target).catch((cause: Error) => {
    throw new AppError('USAGE', `${target} is not a readable folder: ${cause.message}; ${remedy}`, { cause })
  })
  if (names.length > 0) throw new AppError('USAGE', `${target} is not empty; ${remedy}`)
}

/** @returns the last transaction contained in the file, if it states one */
async function salvageAll(folder: string, salvage: Salvage): Promise<number | undefined> {
  const found = await tryOpen(folder)
  if (found instanceof AppError) return salvageLines(snapshotPath(folder), salvage)
  return thenClose(found, async () => {
    const outcome = await salvageParts(found, salvage).catch(corruptionOrThrow)
    if (!(outcome instanceof AppError)) {
      salvage.journal = found.journal
      return found.sequence
    }
    salvage.clear()
    return salvageLines(snapshotPath(folder), salvage)
  })
}

/** Collects every readable record of a file, whether or not it matches its model. */
async function salvageParts(snapshot: Snapshot, salvage: Salvage): Promise<void> {
  const consumer: RecordConsumer = {
    begin: () => salvage.clear(),
    table(name, nextId) {
      salvage.table(name, nextId)
      return (record) => salvage.add(name, record, '')
    },
  }
  const { validation } = await replay(snapshot, [], consumer, () => new StoredDataValidator(undefined))
  if (validation !== undefined) salvage.leftOut.push(...faultLines(validation))
}

/** Applies transactions to the salvaged tables. */
function applyEntries(entries: readonly JournalEntry[], salvage: Salvage): void {
  for (const { changes, nextIds } of entries) {
    for (const [name, id, after] of changes) {
      const { records } = salvage.table(name, id + 1)
      if (after === null) records.delete(id)
      else records.set(id, after)
    }
    for (const [name, nextId] of Object.entries(nextIds)) salvage.table(name, nextId)
  }
}

/** The salvaged tables, with their records in id order. */
const tablesOf = ({ tables }: Salvage): SnapshotDocument['tables'] =>
  Object.fromEntries(
    [...tables].map(([name, { nextId, records }]) => [
      name,
      { nextId, records: [...records.values()].sort((a, b) => a.id - b.id) },
    ]),
  )

/** Copies the files that do not belong to the store, such as the secret. */
async function copyOtherFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile() && !/^(db\.json|journal\.|lock)/.test(entry.name)) {
      await copyFile(join(from, entry.name), join(to, entry.name))
    }
  }
}

const corruptionOrThrow = (error: unknown): AppError => {
  if (error instanceof AppError && (error.code === 'DATA_CORRUPT' || error.code === 'RENAME_CONFLICT')) return error
  throw error
}

const tryOpen = (folder: string): Promise<Snapshot | AppError> => openSnapshot(folder, nodeDisk).catch(corruptionOrThrow)

/** The readable part of a table. */
interface SalvagedTable {
  nextId: number
  readonly records: Map<number, StoredRecord>
}

/** Collects readable records, and messages about the others. */
class Salvage {
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
async function salvageLines(path: string, salvage: Salvage): Promise<number | undefined> {
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
      const record = tryJson(line.replace(/,$/, ''))
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
