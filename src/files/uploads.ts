import { rm } from 'node:fs/promises'
import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, forbidden, isPrivileged } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { ImageFault, type Images } from '../images/images.ts'
import { type FileField, isFileField, isSettable } from '../model/field.ts'
import { maxSizeOf, type SizeSettings } from '../model/file-limits.ts'
import { FILE_TABLE, fileIdOf, rowOfFileId } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Records } from '../records/records.ts'
import type { BlobStore, ReceivedFile } from '../store/blobs/blob-store.ts'
import { BodyTooLarge, receive } from '../store/blobs/receive.ts'
import { explainedFull } from '../store/blobs/storage-full.ts'
import type { Disk } from '../store/embedded/files/disk.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { formatBytes } from '../util/bytes.ts'
import { type Clock, HOUR_MS, isoTime } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { JsonObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { type QuotaReservation, UploadQuota } from './upload-quota.ts'

/** The field that an upload is for. */
export interface UploadTarget {
  readonly actor: Actor
  readonly model: Model
  readonly field: FileField
  /** Maximum size of a file, in bytes. */
  readonly maxSize: number
}

/** A file that was received and judged, and is not kept yet. */
export interface ReceivedUpload extends ReceivedFile {
  readonly name: string
  /** The media type, found in the bytes. */
  readonly type: string
  /** In pixels; null for a file of a field that is not for images. */
  readonly width: number | null
  readonly height: number | null
}

/** An upload that no record has yet, as the API returns it. */
export interface PendingUpload extends JsonObject {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
  readonly width: number | null
  readonly height: number | null
  readonly expires_at: string
}

interface UploadParts {
  readonly access: AccessRules
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  readonly blobs: BlobStore
  readonly images: Images
  readonly settings: SizeSettings
  readonly clock: Clock
  readonly random: Random
  /** Receives bodies; replaced by a failing one in tests. */
  readonly disk?: Disk | undefined
}

/**
 * Receives files for fields, and keeps them until a record has them. The bytes are durable before the registry names them, and both are before the
 * client knows an id.
 */
export class Uploads {
  readonly #parts: UploadParts
  readonly #quota: UploadQuota

  constructor(parts: UploadParts) {
    this.#parts = parts
    this.#quota = new UploadQuota(parts.settings.files.pending_bytes, (userId) => this.#pendingBytes(userId))
  }

  /**
   * Checks that the actor may upload files for a field, before a body is read.
   *
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN; INVALID_REQUEST for a field that takes no files
   */
  admit(actor: Actor, modelKey: string, fieldName: string): UploadTarget {
    const { access, settings } = this.#parts
    const model = access.modelFor(actor, undefined, modelKey)
    if (!access.may(actor, 'change', model)) access.modelFor(actor, 'add', modelKey)
    const field = model.fields.get(fieldName)
    if (field === undefined || !isFileField(field)) {
      const known = model.fileFields.map(({ name }) => name)
      throw new AppError(
        'INVALID_REQUEST',
        field === undefined
          ? `Field '${fieldName}' does not exist${didYouMean(fieldName, known)}`
          : `'${fieldName}' takes no files${known.length === 0 ? '' : `; fields that do: ${known.join(', ')}`}`,
      )
    }
    if (!isSettable(field) || (isPrivileged(model, fieldName) && !actor.isSuperuser)) throw forbidden(actor)
    return { actor, model, field, maxSize: maxSizeOf(field.file, settings) }
  }

  /**
   * Runs an upload if there is room for its files, before they are read. Until it ends, they count towards the quota of the user.
   *
   * @param size of all files together in bytes, as far as it is known
   * @param upload gets its share of the quota, for `register`
   * @throws {AppError} UPLOAD_QUOTA, STORAGE_FULL; what `upload` throws
   */
  async withRoom<T>({ userId }: Actor, size: number, upload: (reservation: QuotaReservation) => Promise<T>): Promise<T> {
    const { blobs, settings } = this.#parts
    const { min_free: least } = settings.files
    if ((await blobs.free()) - size < least)
      throw new AppError(
        'STORAGE_FULL',
        `Less than ${formatBytes(least)} would be free on the disk of the server; remove files, or lower \`files.min_free\``,
      )
    return this.#quota.run(userId, size, upload)
  }

  /** The size of the uploads of a user that no record has and that have not expired. */
  async #pendingBytes(userId: number): Promise<number> {
    const { store, settings, clock } = this.#parts
    const filters: FieldFilter[] = [
      { field: 'user_id', operator: 'eq', value: userId },
      { field: 'record_id', operator: 'isnull', value: true },
      { field: 'at', operator: 'gt', value: isoTime(clock() - settings.files.pending_hours * HOUR_MS) },
    ]
    const plan = { filters, groupBy: [], sums: ['size'], ranges: [], limit: 1 }
    const [total] = (await store.aggregate(FILE_TABLE, plan)) ?? []
    return Number(total?.sums[0]?.sum ?? 0)
  }

  /** @throws {AppError} FILE_TOO_LARGE for a file that is known to be too large before it is read */
  checkSize(target: UploadTarget, size: number): void {
    if (size > target.maxSize) throw tooLarge(target)
  }

  /**
   * Receives a file and judges it by its bytes. It must be registered or discarded.
   *
   * @throws {AppError} FILE_TOO_LARGE, VALIDATION_FAILED, STORAGE_FULL, IMAGES_UNAVAILABLE; what the source throws
   */
  async receive(target: UploadTarget, source: AsyncIterable<Uint8Array>, name: string): Promise<ReceivedUpload> {
    const { blobs, images, random, disk } = this.#parts
    const { field, maxSize } = target
    let received: ReceivedFile | undefined
    try {
      received = await receive(source, blobs.incoming, { maxBytes: maxSize, random, disk })
      const { file, type, image } = await images.inspect(received, field.file)
      return { ...file, name, type, width: image?.width ?? null, height: image?.height ?? null }
    } catch (error) {
      if (received !== undefined) await rm(received.path, { force: true })
      if (error instanceof BodyTooLarge) throw tooLarge(target)
      if (error instanceof ImageFault)
        throw new AppError('VALIDATION_FAILED', { [field.name]: [`${field.name} ${error.message}`] }, { cause: error })
      throw explainedFull(error)
    }
  }

  /** Removes files that were received, and their previews, unless the same bytes are kept for another upload. */
  async discard(received: readonly ReceivedUpload[]): Promise<void> {
    for (const { path } of received) await rm(path, { force: true })
    // A preview that stays is in a cache, so a failure does not take the place of the error that the files are discarded for.
    for (const { sha256, width } of received) if (width !== null) await this.#forgetPreview(sha256).catch(() => {})
  }

  async #forgetPreview(sha256: string): Promise<void> {
    const { blobs, images } = this.#parts
    if ((await blobs.size(sha256)) === undefined) await images.forget(sha256)
  }

  /**
   * Keeps received files, all or none, for a record to come. None of them is left where it was received. One that occurs several times is kept once,
   * and gets as many ids.
   *
   * @param reservation of the quota of the user; undefined for uploads of the program itself, which have none
   * @throws {AppError} UPLOAD_QUOTA, STORAGE_FULL, STORE_UNAVAILABLE
   */
  async register(
    { actor, model, field }: UploadTarget,
    received: readonly ReceivedUpload[],
    reservation?: QuotaReservation,
  ): Promise<readonly PendingUpload[]> {
    const { blobs, records, clock, random } = this.#parts
    const rows = received.map(({ sha256, size, name, type, width, height }) => ({
      ...{ token: uniqueId(random), sha256, size, name, type, width, height },
      ...{
        model: model.key,
        field: field.name,
        record_id: null,
        user_id: actor.userId ?? null,
        at: isoTime(clock()),
        released_at: null,
      },
    }))
    const hashes = [...new Set(received.map(({ sha256 }) => sha256))]
    const total = received.reduce((sum, { size }) => sum + size, 0)
    try {
      // The size of a body in chunks is known only now.
      if (reservation !== undefined && total > reservation.size) await this.#quota.check(reservation, total)
      const uploads = await blobs.exclusively(hashes, async () => {
        // A file may be for several places.
        for (const each of new Set(received)) await blobs.keep(each)
        const outcome = await records.commitInternal(rows.map((values) => ({ kind: 'insert', table: FILE_TABLE, values })))
        if (!outcome.ok) throw new Error(`The store refused uploads: ${JSON.stringify(outcome.violations)}`)
        return outcome.records.map((row) => this.#present(row))
      })
      if (reservation !== undefined) this.#quota.registered(reservation, total)
      return uploads
    } catch (error) {
      await this.discard(received)
      throw explainedFull(error)
    }
  }

  /**
   * An upload of the actor that no record has yet.
   *
   * @throws {AppError} UPLOAD_NOT_FOUND
   */
  async pending(actor: Actor, id: string): Promise<PendingUpload> {
    return this.#present(await this.#rowOf(actor, id))
  }

  /**
   * Deletes an upload of the actor that no record has yet. Its bytes go with the next sweep.
   *
   * @throws {AppError} UPLOAD_NOT_FOUND
   */
  async remove(actor: Actor, id: string): Promise<PendingUpload> {
    const row = await this.#rowOf(actor, id)
    const outcome = await this.#parts.records.commitInternal([{ kind: 'remove', table: FILE_TABLE, id: row.id, expect: row }])
    // A record has got it meanwhile.
    if (!outcome.ok) throw notFound(id)
    return this.#present(row)
  }

  async #rowOf({ userId }: Actor, id: string): Promise<StoredRecord> {
    const named = rowOfFileId(id)
    const [row] = named === undefined ? [] : await this.#parts.store.get(FILE_TABLE, [named.row])
    const isOwn = row?.token === named?.token && row?.user_id === (userId ?? null)
    if (row === undefined || !isOwn || row.record_id !== null || this.#expiryOf(row) <= this.#parts.clock()) throw notFound(id)
    return row
  }

  #expiryOf({ at }: StoredRecord): number {
    return Date.parse(String(at)) + this.#parts.settings.files.pending_hours * HOUR_MS
  }

  #present(row: StoredRecord): PendingUpload {
    const { token, name, type, size, sha256, width = null, height = null } = row
    return {
      id: fileIdOf(String(token), row.id),
      ...{ name: String(name), type: String(type), size: Number(size), sha256: String(sha256) },
      ...{ width: width === null ? null : Number(width), height: height === null ? null : Number(height) },
      expires_at: isoTime(this.#expiryOf(row)),
    }
  }
}

const tooLarge = ({ field, maxSize }: UploadTarget): AppError =>
  new AppError('FILE_TOO_LARGE', { [field.name]: [`${field.name} must not be larger than ${formatBytes(maxSize)}`] })

const notFound = (id: string): AppError =>
  new AppError('UPLOAD_NOT_FOUND', `There is no upload '${id.slice(0, 60)}' of yours that no record has yet`)
