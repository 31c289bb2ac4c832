import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, ANONYMOUS } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Images } from '../images/images.ts'
import { recipeKey, type Thumbnail } from '../images/thumbnail-cache.ts'
import { type FileField, isFileField } from '../model/field.ts'
import { FILE_TABLE, filesIn, rowOfFileId, type StoredFile, type ThumbnailRecipe } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import type { BlobStore, ByteRange } from '../store/blobs/blob-store.ts'
import type { ReadOptions, Store, StoredRecord } from '../store/store.ts'
import { undefinedIfAbsent } from '../util/files.ts'
import { isRecordId } from '../util/ids.ts'
import { meantOrKnown } from '../util/suggest.ts'

/** The place of a file as a request names it, whatever it may be. */
export interface NamedPlace {
  readonly model: string
  readonly record: string
  readonly field: string
  readonly file: string
}

/** The bytes of a file or of a thumbnail. */
export interface FileBytes {
  /** Media type, as detected. */
  readonly type: string
  /** In bytes. */
  readonly size: number
  /** @param range a part, which is within the bytes */
  open(range?: ByteRange): Promise<Readable>
}

/** A file that an actor may read. */
export interface FoundFile {
  /** The name that users gave it. */
  readonly name: string
  /** Differs for other bytes. Safe in an entity tag. */
  readonly tag: string
  /** True if everyone may read it. */
  readonly isPublic: boolean
  /** @throws {AppError} IMAGES_BUSY, IMAGES_UNAVAILABLE, INVALID_IMAGE for a thumbnail */
  content(): Promise<FileBytes>
}

interface DownloadParts {
  readonly access: AccessRules
  readonly store: Store
  readonly blobs: Pick<BlobStore, 'open'>
  readonly images: Pick<Images, 'thumbnail'>
}

/**
 * The bytes that a path names. Who may read the field of the record now may read its files. Hash, size and type are those of the registry, never of
 * the record, whose values clients send.
 */
export class Downloads {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #blobs: DownloadParts['blobs']
  readonly #images: DownloadParts['images']

  constructor({ access, store, blobs, images }: DownloadParts) {
    this.#access = access
    this.#store = store
    this.#blobs = blobs
    this.#images = images
  }

  /**
   * Finds a file that is in a record now. What is hidden from the actor, does not exist, or is in the record no more, is the same error.
   *
   * @param thumbnail name of a thumbnail of the field; undefined for the file itself
   * @throws {AppError} UNAUTHENTICATED, FORBIDDEN, FILE_NOT_FOUND; INVALID_REQUEST for an unknown thumbnail
   */
  async find(actor: Actor, place: NamedPlace, thumbnail?: string, options?: ReadOptions): Promise<FoundFile> {
    const id = isRecordId(place.record) ? Number(place.record) : Number.NaN
    const model = this.#modelFor(actor, place.model, id)
    const known = rowOfFileId(place.file)
    const field = model.fields.get(place.field)
    if (field === undefined || !isFileField(field) || known === undefined || !Number.isSafeInteger(id)) throw noSuchFile()
    const [record, [row]] = await Promise.all([
      this.#record(actor, model, id, options),
      this.#store.get(FILE_TABLE, [known.row], options),
    ])
    const file = filesIn(record?.[field.name]).find((each) => each.id === place.file)
    if (file === undefined || row === undefined || !isAt(row, { model, field, id }) || row.token !== known.token)
      throw noSuchFile()
    return this.#found(model, field, file, row, thumbnail)
  }

  /** @throws {AppError} UNAUTHENTICATED, FORBIDDEN, FILE_NOT_FOUND */
  #modelFor(actor: Actor, key: string, id: number): Model {
    // Every user reads their own record, without a permission.
    if (isOwn(actor, key, id)) return this.#access.registry.expect(key)
    try {
      return this.#access.modelFor(actor, 'view', key)
    } catch (error) {
      throw error instanceof AppError && error.code === 'MODEL_NOT_FOUND' ? noSuchFile() : error
    }
  }

  async #record(actor: Actor, model: Model, id: number, options?: ReadOptions): Promise<StoredRecord | undefined> {
    const [record] = isOwn(actor, model.key, id)
      ? await this.#store.get(model.key, [id], options)
      : await this.#access.read(this.#store, actor, model, [id], options)
    return record
  }

  #found(model: Model, field: FileField, file: StoredFile, row: StoredRecord, thumbnail: string | undefined): FoundFile {
    const sha256 = String(row.sha256)
    const isPublic = this.#access.may(ANONYMOUS, 'view', model) && this.#access.only(ANONYMOUS, 'view', model) === undefined
    if (thumbnail === undefined) {
      const content = { type: String(row.type), size: Number(row.size), open: (range?: ByteRange) => this.#bytes(sha256, range) }
      return { name: file.name, tag: sha256, isPublic, content: async () => content }
    }
    const { thumbnails, maxPixels } = field.file
    const recipe = thumbnails.get(thumbnail)
    if (recipe === undefined)
      throw invalidThumbnail(`Unknown thumbnail '${thumbnail}'${meantOrKnown(thumbnail, [...thumbnails.keys()])}`)
    if (row.width === null) throw invalidThumbnail('The file is no image, so it has no thumbnails')
    return {
      name: `${file.name.replace(/\.\w{1,5}$/, '')}.${recipe.format}`,
      tag: `${sha256}-${recipeKey(recipe)}`,
      isPublic,
      content: async () => {
        const { path, type, size } = await this.#thumbnail(sha256, recipe, maxPixels)
        // Others may have taken the place of a thumbnail that was seldom used.
        const again = async () => (await this.#thumbnail(sha256, recipe, maxPixels)).path
        return {
          type,
          size,
          open: async (range) => (await openFile(path, range)) ?? (await openFile(await again(), range)) ?? fail(sha256),
        }
      },
    }
  }

  async #thumbnail(sha256: string, recipe: ThumbnailRecipe, maxPixels: number): Promise<Thumbnail> {
    const made = await this.#images.thumbnail({ sha256, recipe, maxPixels }, () => this.#blobs.open(sha256))
    return made ?? fail(sha256)
  }

  async #bytes(sha256: string, range: ByteRange | undefined): Promise<Readable> {
    return (await this.#blobs.open(sha256, range)) ?? fail(sha256)
  }
}

const isOwn = (actor: Actor, key: string, id: number): boolean => key === 'user' && id === actor.userId

/** True for the row of a file that is in this field of this record. */
const isAt = (row: StoredRecord, at: { readonly model: Model; readonly field: FileField; readonly id: number }): boolean =>
  row.model === at.model.key && row.field === at.field.name && row.record_id === at.id && (row.released_at ?? null) === null

const noSuchFile = (): AppError => new AppError('FILE_NOT_FOUND', 'There is no such file')

const invalidThumbnail = (message: string): AppError => new AppError('INVALID_REQUEST', { thumbnail: [message] })

/** A fault of the server, for its log: a record names bytes that are not kept. */
function fail(sha256: string): never {
  throw new Error(`The bytes of the file ${sha256} are missing where the server keeps them; restore them from a backup`)
}

/** Opens a file before anything of the response is sent, so that a failure is an error of the response. Undefined if it is missing. */
async function openFile(path: string, range: ByteRange | undefined): Promise<Readable | undefined> {
  const file = await open(path).catch(undefinedIfAbsent)
  return file?.createReadStream(range)
}
