import { SYSTEM } from '../auth/permissions.ts'
import { ConfigError, type Fault, Faults } from '../config/fault.ts'
import type { SeedFile } from '../config/project-files.ts'
import type { Source } from '../config/source.ts'
import { silentLog } from '../log/log.ts'
import { dependencyOrder } from '../model/dependency-order.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { addMissingGrants, grantsPrecedeSeeds } from '../service/accounts/permission-records.ts'
import type { Project } from '../service/project/project.ts'
import { Records } from '../service/records/records.ts'
import { type FindIds, type ResolvedRow, withResolvedReferences } from '../service/records/references.ts'
import type { NewRecord } from '../service/records/write-requests.ts'
import { MemoryStore } from '../store/embedded/memory-store.ts'
import { systemClock } from '../util/clock.ts'
import { systemRandom } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { FieldIssues } from '../validate/issues.ts'
import { isUsableId, MAX_GIVEN_ID } from './given-ids.ts'
import { readSeed, type SeedReading, type SeedRecord } from './read-seed.ts'

/**
 * Creates the records of a project's seed files in an empty store, in one transaction, with full validation, in dependency
 * order of the models.
 *
 * @returns number of records created
 * @throws {ConfigError} naming every invalid record by file and line; then nothing is created
 */
export async function seedStore(seeds: readonly SeedFile[], registry: Registry, records: Records): Promise<number> {
  const items = new SeedItems(seeds, registry, records)
  const faults = new Faults('seed/invalid-record')
  for (const { index, issues } of await records.load(SYSTEM, items.read())) {
    const source = items.sourceOf(index)
    for (const [field, messages] of Object.entries(issues.toMessages())) {
      for (const message of messages) faults.add(source, [field], message)
    }
  }
  faults.throwIfAny()
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
      ...{ access, store, forms, hasher, clock: systemClock, random: systemRandom, log: silentLog },
      maxRecordBytes: settings.max_record_bytes,
    })
    if (grantsPrecedeSeeds(project)) await addMissingGrants(project, store, records)
    await seedStore(seeds, registry, records)
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
  /** The ids of the records read so far, by values of the unique fields of models that others refer to. */
  readonly #ids = new Map<Field, Map<Json, number>>()
  readonly #parts: Part[] = []
  /** Number of records read. */
  count = 0

  constructor(seeds: readonly SeedFile[], registry: Registry, records: Records) {
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
        const { data, issues } = await this.#resolved(model, item.data)
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
