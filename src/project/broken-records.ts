import { AppError } from '../errors.ts'
import type { BrokenRecord } from '../lint/project.ts'
import { brokenCount, brokenFileLimit } from '../model/file-limits.ts'
import { filesIn } from '../model/files.ts'
import type { Model, UniqueKey } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { BlobStore } from '../store/blobs/blob-store.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { readRecord } from '../validate/record.ts'

/** Maximum number of findings listed for one field. */
const MAX_NAMED = 50

/** Validates every stored record against the present models: each value, files and their bytes, then unique values and references. */
export async function findBrokenRecords(
  store: Store,
  registry: Registry,
  blobs: Pick<BlobStore, 'size'>,
): Promise<BrokenRecord[]> {
  const broken: BrokenRecord[] = []
  const ids = new Map<string, ReadonlySet<number>>()
  for (const model of registry.public) ids.set(model.key, await idsOf(store, model))
  for (const model of registry.public) {
    const found = new Findings(model)
    const owners = model.uniqueKeys.map((key): Unique => ({ ...key, owners: new Map() }))
    for await (const records of store.stream(model.key, { filters: [], sort: [] })) {
      for (const record of records) {
        checkValues(model, record, found)
        checkFiles(model, record, found)
        await checkBytes(model, record, blobs, found)
        for (const unique of owners) checkUnique(record, unique, found)
        checkReferences(model, record, ids, found)
      }
    }
    broken.push(...found.list)
  }
  return broken
}

class Findings {
  readonly #model: Model
  readonly #named: BrokenRecord[] = []
  readonly #counts = new Map<string, number>()

  constructor(model: Model) {
    this.#model = model
  }

  add(id: number, field: string, message: string): void {
    const count = (this.#counts.get(field) ?? 0) + 1
    this.#counts.set(field, count)
    if (count <= MAX_NAMED) this.#named.push({ model: this.#model.key, id, field, message })
  }

  /** All findings. The last one of a field counts the findings left out. */
  get list(): BrokenRecord[] {
    const left = new Map(this.#counts)
    return this.#named.map((broken) => {
      const count = this.#counts.get(broken.field) ?? 0
      const rest = (left.get(broken.field) ?? 0) - 1
      left.set(broken.field, rest)
      const isLast = count > MAX_NAMED && rest === count - MAX_NAMED
      return isLast ? { ...broken, message: `${broken.message} (and ${count - MAX_NAMED} more for this field)` } : broken
    })
  }
}

async function idsOf(store: Store, { key }: Model): Promise<ReadonlySet<number>> {
  const ids = new Set<number>()
  for await (const records of store.stream(key, { filters: [], sort: [] })) for (const { id } of records) ids.add(id)
  return ids
}

/** Secrets are stored hashed, so only their presence is checked. */
function checkValues(model: Model, record: StoredRecord, found: Findings): void {
  const { issues } = readRecord(model, record)
  for (const [field, messages] of Object.entries(issues.toMessages())) {
    if (model.secrets.includes(field) && (record[field] ?? null) !== null) continue
    for (const message of messages) found.add(record.id, field, message)
  }
}

/** Checks the stored files of a record against limits that may have been narrowed since their upload. */
function checkFiles({ fileFields }: Model, record: StoredRecord, found: Findings): void {
  for (const { name, file } of fileFields) {
    const files = filesIn(record[name])
    const count = brokenCount(file, files.length)
    if (count !== undefined) found.add(record.id, name, `${name} ${count}`)
    // Without a limit of its own, a field has that of the settings at the time of the upload.
    const problems = files.flatMap((each) => brokenFileLimit(file, each, file.maxSize ?? Number.POSITIVE_INFINITY) ?? [])
    for (const problem of new Set(problems)) found.add(record.id, name, `${name} ${problem}`)
  }
}

/** Looks for the bytes of the files of a record. */
async function checkBytes(
  { fileFields }: Model,
  record: StoredRecord,
  blobs: Pick<BlobStore, 'size'>,
  found: Findings,
): Promise<void> {
  for (const { name: field } of fileFields) {
    for (const { name, sha256 } of filesIn(record[field])) {
      if ((await blobs.size(sha256)) !== undefined) continue
      found.add(record.id, field, `${field}: the bytes of '${name}' are missing; restore them from a backup, or remove the file`)
    }
  }
}

/** A unique key, and the record that has each value. */
type Unique = UniqueKey & { readonly owners: Map<Json, number> }

function checkUnique(record: StoredRecord, { field, keyOf, problem, owners }: Unique, found: Findings): void {
  const value = keyOf(record)
  if (value === null) return
  const owner = owners.get(value)
  if (owner === undefined) owners.set(value, record.id)
  else found.add(record.id, field, `${field} ${problem}, and record ${owner} has the same`)
}

function checkReferences(
  model: Model,
  record: StoredRecord,
  ids: ReadonlyMap<string, ReadonlySet<number>>,
  found: Findings,
): void {
  for (const { name, relation } of model.relations.values()) {
    const value = record[name] ?? []
    const lost = (Array.isArray(value) ? value : [value]).find((id) => ids.get(relation.target)?.has(Number(id)) === false)
    if (lost !== undefined) found.add(record.id, name, `${name} references a non-existent record`)
  }
}

/**
 * The error for a project that has no data yet.
 *
 * @param place the data folder, or the database without a password
 */
export const noData = (place: string): AppError =>
  new AppError('TASK_FAILED', `There is no data in ${place} yet; start \`admin serve\` once to create it`)
