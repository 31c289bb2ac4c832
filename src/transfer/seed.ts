import { SYSTEM } from '../auth/permissions.ts'
import { Faults } from '../config/fault.ts'
import type { SeedFile } from '../config/project-files.ts'
import { dependencyOrder } from '../model/dependency-order.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { NewRecord, Records } from '../service/records/records.ts'
import { isUsableId, MAX_GIVEN_ID } from './given-ids.ts'
import { readSeed, type SeedRecord } from './read-seed.ts'

/**
 * Creates the records of a project's seed files in an empty store, in one transaction, with full validation, in dependency
 * order of the models.
 *
 * @returns number of records created
 * @throws {ConfigError} naming every invalid record by file and line; then nothing is created
 */
export async function seedStore(seeds: readonly SeedFile[], registry: Registry, records: Records): Promise<number> {
  const faults = new Faults()
  const items: (NewRecord & { readonly seed: SeedRecord })[] = []
  for (const model of dependencyOrder(registry)) {
    const file = seeds.find((seed) => seed.model === model.key)
    if (file === undefined) continue
    const read = await readSeed(file, model)
    faults.addAll(read.faults.list)
    items.push(...assignIds(model, read.records, faults))
  }
  faults.throwIfAny()
  for (const { index, issues } of await records.load(SYSTEM, items)) {
    const source = items[index]?.seed.source
    if (source === undefined) continue
    for (const [field, messages] of Object.entries(issues.toMessages())) {
      for (const message of messages) faults.add(source, [field], message)
    }
  }
  faults.throwIfAny()
  return items.length
}

/** Records get the ids 1, 2, … in file order, unless they carry one. */
function assignIds(model: Model, seeds: readonly SeedRecord[], faults: Faults): (NewRecord & { readonly seed: SeedRecord })[] {
  let next = 1
  return seeds.map((seed) => {
    const { id: own, ...data } = seed.data
    const written = own ?? undefined
    if (written !== undefined && !isUsableId(written)) {
      faults.add(seed.source, ['id'], `id must be an integer from 1 to ${MAX_GIVEN_ID}, not ${JSON.stringify(written)}`)
    }
    const id = written === undefined ? next : Number(written)
    next = Math.max(next, id + 1)
    return { model: model.key, data, id, seed }
  })
}
