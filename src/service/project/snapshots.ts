import type { Actor } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { FileStore } from '../../store/embedded/file-store.ts'
import {
  type CopyRequest,
  rejectExisting,
  removeCopy,
  type SavedCopy,
  saveCopy,
  savedCopies,
} from '../../store/embedded/snapshot/saved-copies.ts'
import type { Store } from '../../store/store.ts'
import { isoTime } from '../../util/clock.ts'
import { isObject } from '../../util/json.ts'
import { didYouMean } from '../../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../../validate/issues.ts'
import { superusersOnly } from '../access/refusals.ts'
import type { ResetRequest } from './reset.ts'

/** A snapshot as the API returns it. */
export interface ShownCopy {
  readonly name: string
  readonly bytes: number
  readonly saved_at: string
}

/** Saves, lists and removes snapshots while requests are served. For superusers only. */
export class Snapshots {
  readonly #folder: string
  readonly #store: Store

  constructor(folder: string, store: Store) {
    this.#folder = folder
    this.#store = store
  }

  /** True if the data is in files, so that snapshots can be saved. */
  get areAvailable(): boolean {
    return this.#store instanceof FileStore
  }

  async list(actor: Actor): Promise<ShownCopy[]> {
    superusersOnly(actor)
    return this.#store instanceof FileStore ? (await savedCopies(this.#folder)).map(shownCopy) : []
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
    if (!(this.#store instanceof FileStore)) throw nothingWritten()
    await rejectExisting(this.#folder, request)
    return shownCopy(await this.#store.withSnapshot(() => saveCopy(this.#folder, request)))
  }

  /** @throws {AppError} USAGE for a bad name, SNAPSHOT_NOT_FOUND, INVALID_REQUEST */
  async remove(actor: Actor, name: string): Promise<ShownCopy> {
    superusersOnly(actor)
    if (!(this.#store instanceof FileStore)) throw nothingWritten()
    return shownCopy(await removeCopy(this.#folder, name))
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
