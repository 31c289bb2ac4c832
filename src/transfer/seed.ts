import { createReadStream } from 'node:fs'
import { dirname, extname } from 'node:path'
import { addMissingGrants, grantsPrecedeSeeds } from '../accounts/roles.ts'
import { SYSTEM } from '../auth/permissions.ts'
import { ConfigError, type Fault, Faults } from '../config/fault.ts'
import { NOT_A_FILE, readTextFile, type SeedFile, unreadable } from '../config/project-files.ts'
import { flatSource, type Source, within } from '../config/source.ts'
import { parseText } from '../config/text-source.ts'
import { AppError } from '../errors.ts'
import { type Log, silentLog } from '../log/log.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { dependencyOrder, type Registry } from '../model/registry.ts'
import type { Project } from '../project/project.ts'
import { Hooks } from '../records/hooks.ts'
import { Records } from '../records/records.ts'
import { type FindIds, type ResolvedRow, withResolvedReferences } from '../records/references.ts'
import type { NewRecord } from '../records/write-requests.ts'
import { MemoryStore } from '../store/embedded/memory-store.ts'
import { systemClock } from '../util/clock.ts'
import { isNoFile } from '../util/files.ts'
import { systemRandom } from '../util/ids.ts'
import { isObject, type Json } from '../util/json.ts'
import { parseStrictJson } from '../util/strict-json.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import { readRows } from './row-reader.ts'
import { checkSeedFile, type TakeSeedFile, withSeedFiles } from './seed-files.ts'

/**
 * Creates the records of a project's seed files in an empty store, in one transaction, with full validation, in dependency
 * order of the models.
 *
 * @param takeFile takes the files that file fields name
 * @param log gets a warning for each field whose images were left out, since they cannot be read here
 * @returns number of records created
 * @throws {ConfigError} naming every invalid record by file and line; then nothing is created
 */
export async function seedStore(
  seeds: readonly SeedFile[],
  registry: Registry,
  records: Records,
  takeFile: TakeSeedFile,
  log: Pick<Log, 'warn'>,
): Promise<number> {
  const items = new SeedItems(seeds, registry, records, takeFile)
  const faults = new Faults('seed/invalid-record')
  for (const { index, issues } of await records.load(SYSTEM, items.read())) {
    const source = items.sourceOf(index)
    for (const [field, messages] of Object.entries(issues.toMessages())) {
      // Records that hooks write have the name of their model before that of the field.
      for (const message of messages) faults.add(source, [field], field.includes('.') ? `${field}: ${message}` : message)
    }
  }
  faults.throwIfAny()
  for (const [place, { count, why }] of items.leftOut) {
    log.warn(
      `Seed records with images in ${place} were created without them: ${count}. ${why}. A seed is read again by \`admin reset --seed-data\`, which deletes all records; or upload the images to the records`,
    )
  }
  return items.count
}

/**
 * The faults that would prevent the creation of the seed records of a project; found by creating them in memory.
 */
export async function seedFaults(project: Project): Promise<readonly Fault[]> {
  const { seeds, registry, access, forms, settings } = project
  if (seeds.length === 0) return []
  const store = new MemoryStore(registry)
  const hasher = { hash: async () => '', verify: async () => false }
  try {
    const records = new Records({
      ...{ access, store, forms, hasher, clock: systemClock, random: systemRandom, hooks: new Hooks(silentLog) },
      maxRecordBytes: settings.max_record_bytes,
    })
    if (grantsPrecedeSeeds(project)) await addMissingGrants(project, store, records)
    await seedStore(seeds, registry, records, checkSeedFile(settings, records), silentLog)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  } finally {
    await store.close()
  }
}

/** The records of a seed file among all. */
interface Part {
  /** Index of its first record. */
  readonly first: number
  readonly reading: SeedReading
  readonly positions: number[]
}

/** Reads the records of seed files, and remembers where each is written. */
class SeedItems {
  readonly #seeds: readonly SeedFile[]
  readonly #registry: Registry
  readonly #records: Records
  readonly #takeFile: TakeSeedFile
  /** The ids of the records read so far, by values of the unique fields of models that others refer to. */
  readonly #ids = new Map<Field, Map<Json, number>>()
  readonly #parts: Part[] = []
  /** Number of records read. */
  count = 0
  /** The fields whose images were left out, as `model.field`: of how many records, and why. */
  readonly leftOut = new Map<string, { readonly count: number; readonly why: string }>()

  constructor(seeds: readonly SeedFile[], registry: Registry, records: Records, takeFile: TakeSeedFile) {
    this.#takeFile = takeFile
    this.#seeds = seeds
    this.#registry = registry
    this.#records = records
    const relations = registry.public.flatMap((model) => [...model.relations.values()])
    for (const key of new Set(relations.map(({ relation }) => relation.target))) {
      for (const field of registry.expect(key).visibleFields) if (field.unique && !field.system) this.#ids.set(field, new Map())
    }
  }

  /** @throws {ConfigError} with the faults of all files, after the last record */
  async *read(): AsyncGenerator<NewRecord> {
    const faults = new Faults('seed/invalid-record')
    for (const model of dependencyOrder(this.#registry)) {
      const file = this.#seeds.find((seed) => seed.model === model.key)
      if (file === undefined) continue
      const reading = await readSeed(file, model, this.#records.maxRecordBytes)
      const part: Part = { first: this.count, reading, positions: [] }
      this.#parts.push(part)
      for await (const item of withIds(reading, faults)) {
        part.positions.push(item.position)
        this.count++
        const { data: resolved, issues } = await this.#resolved(model, item.data)
        const leaveOut = ({ name }: Field, { message }: AppError) => this.#leaveOut(`${model.key}.${name}`, message)
        const data = await withSeedFiles(model, resolved, dirname(file.path), this.#takeFile, issues, leaveOut)
        for (const [field, [message = '']] of Object.entries(issues.toMessages())) {
          faults.add(reading.sourceOf(item.position), [field], message)
        }
        this.#note(model, item)
        yield { model: model.key, data, id: item.id }
      }
      faults.addAll(reading.faults.list)
    }
    faults.throwIfAny()
  }

  /** Replaces references by a unique field with the ids of records read before, or stored. */
  async #resolved(model: Model, data: SeedRecord['data']): Promise<ResolvedRow> {
    const find: FindIds = async (target, field, values) => {
      const own = this.#ids.get(field) ?? new Map<Json, number>()
      const others = values.filter((value) => !own.has(value))
      // They are kept, so that no row copies the ids of all rows before it.
      if (others.length > 0) for (const [value, id] of await this.#records.idsBy(target, field, others)) own.set(value, id)
      return own
    }
    const [resolved = { data, issues: new FieldIssues() }] = await withResolvedReferences(model, this.#registry, [data], find)
    return resolved
  }

  #leaveOut(place: string, why: string): void {
    this.leftOut.set(place, { count: (this.leftOut.get(place)?.count ?? 0) + 1, why })
  }

  #note(model: Model, { data, id }: { readonly data: SeedRecord['data']; readonly id: number }): void {
    for (const [field, ids] of this.#ids) {
      if (model.fields.get(field.name) !== field) continue
      const reading = field.type.read(data[field.name] ?? field.default ?? null)
      if (reading.ok) ids.set(reading.value, id)
    }
  }

  sourceOf(index: number): Source {
    const part = this.#parts.findLast(({ first }) => first <= index)
    const position = part?.positions[index - part.first]
    if (part === undefined || position === undefined) throw new Error(`There is no seed record ${index}`)
    return part.reading.sourceOf(position)
  }
}

/** Records get the ids 1, 2, … in file order, unless they carry one. */
async function* withIds(reading: SeedReading, faults: Faults) {
  let next = 1
  for await (const { data: given, position } of reading.records) {
    const written = given.id ?? undefined
    if (written !== undefined && !isUsableId(written)) {
      const message = `id must be an integer from 1 to ${MAX_GIVEN_ID}, not ${JSON.stringify(written)}`
      faults.add(reading.sourceOf(position), ['id'], message)
    }
    const id = written === undefined ? next : Number(written)
    next = Math.max(next, id + 1)
    yield { data: withoutId(given), id, position }
  }
}

function withoutId(given: SeedRecord['data']): SeedRecord['data'] {
  if (!Object.hasOwn(given, 'id')) return given
  const { id: _, ...data } = given
  return data
}

/** A record of a seed file. */
export interface SeedRecord {
  readonly data: Readonly<Record<string, unknown>>
  /** Its line in a file of lines, otherwise its index in the list. */
  readonly position: number
}

/** The records of a seed file. */
export interface SeedReading {
  readonly records: AsyncIterable<SeedRecord> | Iterable<SeedRecord>
  /** Faults of the file; complete when all records have been read. Of lines, at most 1,000. */
  readonly faults: Faults
  /** The place in the file of the record at a position. */
  sourceOf(position: number): Source
}

/** JSON seeds up to this length are parsed again to find the position of a fault within a record; of longer ones, the record's line. */
const MAX_POSITIONS_LENGTH = 4 << 20

/**
 * Reads the records of a seed file: a list in YAML or JSON, one record a line in NDJSON, a table in CSV. Lines are read as the records
 * are requested, so a file of any length needs little memory.
 *
 * @param maxRecordBytes maximum size of a record
 */
export async function readSeed(seed: SeedFile, model: Model, maxRecordBytes: number): Promise<SeedReading> {
  const format = extname(seed.path)
  if (format === '.csv' || format === '.ndjson') {
    const faults = new Faults()
    const records = readLines(seed, format === '.csv' ? 'csv' : 'ndjson', model, { maxRecordBytes, faults })
    return { records, faults, sourceOf: (line) => flatSource(seed.file, line) }
  }
  const faults = new Faults()
  const text = await readTextFile(seed.path, seed.file, faults)
  if (text === undefined) return { records: [], faults, sourceOf: () => flatSource(seed.file) }
  return (format === '.json' ? await readSoundJson(text, seed.file) : undefined) ?? readList(text, seed.file, format)
}

/** A list with positions and faults. */
function readList(text: string, file: string, format: string): SeedReading {
  const { definition, faults } = parseText(text, file, format === '.json' ? 'json' : 'yaml', { keepsNumerals: true })
  const { value, source } = definition
  const sourceOf = (index: number) => within(source, [index])
  if (Array.isArray(value)) {
    const records = value.map((data, position) => ({ data, position })).filter(({ data }) => isObject(data))
    for (const [index, data] of value.entries()) if (!isObject(data)) faults.add(sourceOf(index), [], NO_RECORD)
    return { records, faults, sourceOf }
  }
  if (!faults.any) faults.add(source, [], 'A seed file must contain a list of records')
  return { records: [], faults, sourceOf }
}

const NO_RECORD = 'A record must map field names to values'

/** A JSON list without faults, which needs no positions unless a record is refused; undefined for any other text. */
async function readSoundJson(text: string, file: string): Promise<SeedReading | undefined> {
  const { value, faults } = await parseStrictJson(text.replace(/^\uFEFF/, ''), 2).catch(() => ({ value: undefined, faults: [] }))
  if (!Array.isArray(value) || faults.length > 0 || !value.every(isUsual)) return undefined
  let source: Source | undefined
  const sourceOf = (index: number): Source => {
    if (text.length > MAX_POSITIONS_LENGTH) return flatSource(file, lineOfItem(text, index))
    source ??= parseText(text, file, 'json').definition.source
    return within(source, [index])
  }
  return { records: value.map((data, position) => ({ data, position })), faults: new Faults(), sourceOf }
}

/** The line where an object of a JSON list of objects begins. */
function lineOfItem(text: string, index: number): number {
  let line = 1
  let depth = 0
  let items = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}\n]/g)) {
    if (token === '\n') line++
    else if (token === '}' || token === ']') depth--
    else if ((token === '{' || token === '[') && ++depth === 2 && items++ === index) return line
  }
  return 1
}

const isUsual = (value: unknown): boolean => isObject(value) && !Object.hasOwn(value, '__proto__')

async function* readLines(
  { path, file }: SeedFile,
  format: 'csv' | 'ndjson',
  model: Model,
  { maxRecordBytes, faults }: { readonly maxRecordBytes: number; readonly faults: Faults },
): AsyncGenerator<SeedRecord> {
  if (await isNoFile(path)) return faults.add(flatSource(file), [], NOT_A_FILE)
  try {
    for await (const { data, line = 1, problems } of readRows(format, createReadStream(path), model, { maxRecordBytes })) {
      for (const { message } of problems) faults.add(flatSource(file, line), [], message)
      if (faults.list.length >= MAX_NAMED)
        return faults.add(flatSource(file, line), [], 'Further faults of the file are not shown')
      if (problems.length === 0) yield { data, position: line }
    }
  } catch (error) {
    faults.add(flatSource(file), [], error instanceof AppError ? error.message : unreadable(error))
  }
}

/** The largest id that a file may set, leaving room for all later records. */
export const MAX_GIVEN_ID = 2 ** 52

/** True for an id that a file may set. */
export const isUsableId = (id: unknown): id is number => Number.isSafeInteger(id) && Number(id) >= 1 && Number(id) <= MAX_GIVEN_ID
