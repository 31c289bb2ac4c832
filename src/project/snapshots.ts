import { type Actor, superusersOnly } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import type { CopyRequest, SavedCopy } from '../store/embedded/files/saved-copies.ts'
import { isoTime } from '../util/clock.ts'
import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import type { ResetRequest } from './reset.ts'

/** A snapshot as the API returns it. */
export interface ShownCopy {
  readonly name: string
  readonly bytes: number
  readonly saved_at: string
}

/** Copies of the data of an engine that has them. */
export interface Copies {
  readonly areAvailable: true
  list(): Promise<readonly SavedCopy[]>
  /** @throws {AppError} USAGE for a bad name, SNAPSHOT_EXISTS, STORE_UNAVAILABLE */
  save(request: CopyRequest): Promise<SavedCopy>
  /** @throws {AppError} USAGE for a bad name, SNAPSHOT_NOT_FOUND */
  remove(name: string): Promise<SavedCopy>
  /**
   * Checks that a copy can be loaded.
   *
   * @throws {AppError} USAGE for a bad name, SNAPSHOT_NOT_FOUND, DATA_CORRUPT
   */
  check(registry: Registry, name: string): Promise<void>
}

/** The ability of an engine to save copies of its data; without it, every request but the list fails with `refusal`. */
export type SnapshotCapability =
  | Copies
  | { readonly areAvailable: false; refusal(): AppError; list(): Promise<readonly SavedCopy[]> }

/** @throws {AppError} the refusal of an engine without snapshots */
export function expectCopies(snapshots: SnapshotCapability): Copies {
  if (!snapshots.areAvailable) throw snapshots.refusal()
  return snapshots
}

/** Saves, lists and removes snapshots while requests are served. For superusers only. */
export class Snapshots {
  readonly #capability: SnapshotCapability

  constructor(capability: SnapshotCapability) {
    this.#capability = capability
  }

  /** True if the engine has snapshots. */
  get areAvailable(): boolean {
    return this.#capability.areAvailable
  }

  async list(actor: Actor): Promise<ShownCopy[]> {
    superusersOnly(actor)
    return (await this.#capability.list()).map(shownCopy)
  }

  /**
   * Saves a snapshot of the present data. Writes continue meanwhile.
   *
   * @param body `{name, force?}`
   * @throws {AppError} VALIDATION_FAILED, USAGE for a bad name, SNAPSHOT_EXISTS, INVALID_REQUEST, STORE_UNAVAILABLE
   */
  async save(actor: Actor, body: unknown): Promise<ShownCopy> {
    superusersOnly(actor)
    const request = readCopyRequest(body)
    return shownCopy(await expectCopies(this.#capability).save(request))
  }

  /** @throws {AppError} USAGE for a bad name, SNAPSHOT_NOT_FOUND, INVALID_REQUEST */
  async remove(actor: Actor, name: string): Promise<ShownCopy> {
    superusersOnly(actor)
    return shownCopy(await expectCopies(this.#capability).remove(name))
  }
}

/**
 * Reads the body of a reset, `{seed_data?, accounts?, dry_run?}`.
 *
 * @throws {AppError} FORBIDDEN, VALIDATION_FAILED
 */
export function readReset(actor: Actor, body: unknown): ResetRequest & { readonly dryRun: boolean } {
  superusersOnly(actor)
  const { seed_data, accounts, dry_run } = readMembers(body ?? {}, {
    seed_data: 'boolean',
    accounts: 'boolean',
    dry_run: 'boolean',
  })
  return { seeds: seed_data === true, accounts: accounts === true, dryRun: dry_run === true }
}

/** The error for snapshots of an ephemeral application. */
export const nothingWritten = (): AppError =>
  new AppError(
    'INVALID_REQUEST',
    'This server writes nothing (--ephemeral), so it has no snapshots; a reset restores the seed records',
  )

/**
 * The error for snapshots of data that is in a database.
 *
 * @param place where the records are, without a password
 */
export const databaseHasNoSnapshots = (place: string): AppError =>
  new AppError(
    'USAGE',
    `Snapshots are copies of a data folder, and the records are in ${place}; save them with pg_dump, and restore them with pg_restore`,
  )

export const shownCopy = ({ name, bytes, savedAt }: SavedCopy): ShownCopy => ({ name, bytes, saved_at: isoTime(savedAt) })

function readCopyRequest(body: unknown): CopyRequest {
  const { name, force } = readMembers(body, { name: 'string', force: 'boolean' }, 'name')
  return { name: String(name), force: force === true }
}

/** @throws {AppError} VALIDATION_FAILED */
function readMembers(
  body: unknown,
  types: Readonly<Record<string, 'string' | 'boolean'>>,
  required?: string,
): Readonly<Record<string, unknown>> {
  const members = isObject(body) ? body : {}
  const issues = new FieldIssues()
  if (!isObject(body)) issues.add('body', 'The request body must be an object')
  for (const [name, value] of Object.entries(members).slice(0, MAX_NAMED)) {
    if (!Object.hasOwn(types, name)) issues.add(name, `Field '${name}' does not exist${didYouMean(name, Object.keys(types))}`)
    else if (value !== null && typeof value !== types[name]) issues.add(name, `${name} must be a ${types[name]}`)
  }
  if (required !== undefined && (members[required] ?? null) === null) issues.add(required, `${required} is mandatory`)
  issues.throwIfAny()
  return members
}
