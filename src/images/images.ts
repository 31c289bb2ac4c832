import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../errors.ts'
import { type FileRules, PREVIEW, type ThumbnailRecipe } from '../model/files.ts'
import { explainedFull } from '../store/blobs/storage-full.ts'
import type { ImageJob, ImageJobResult, InspectionRules } from './image-jobs.ts'
import { ImageProcessEnded } from './image-process.ts'
import type { ImageFigures, ImageProcesses } from './image-processes.ts'
import { recipeKey, type Thumbnail, type ThumbnailCache } from './thumbnail-cache.ts'

/** The optional dependency that reads images. */
const DECODER = 'sharp'

/** Images are decoded up to this number of pixels even if their field has a smaller limit now: it may have been larger. */
const USUAL_PIXELS = 0x3fff ** 2

/** Why a file is refused. The message follows the name of its field, such as `must be at least 1200 pixels wide`. */
export class ImageFault extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ImageFault'
  }
}

/** A file on the disk of this process. */
export interface InspectedFile {
  readonly path: string
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** What a file is, by its bytes. */
export interface Inspection {
  /** Size and hash, which have changed if metadata was removed. */
  readonly file: InspectedFile
  /** The media type. */
  readonly type: string
  /** In pixels, as displayed; undefined for a file of a field that is not for images. */
  readonly image: { readonly width: number; readonly height: number; readonly frames: number } | undefined
}

/** The image and the recipe of a thumbnail. */
export interface ThumbnailRequest {
  readonly sha256: string
  readonly recipe: ThumbnailRecipe
  /** Maximum number of pixels of images of the field. */
  readonly maxPixels: number
}

/** True if the package that reads images is installed. */
export function hasImages(): boolean {
  try {
    createRequire(import.meta.url).resolve(DECODER)
    return true
  } catch {
    return false
  }
}

/** The bytes of the image of a thumbnail are missing. */
class MissingBytes extends Error {}

/** Finds what uploaded files are, and makes thumbnails, in processes of their own. */
export class Images {
  readonly #processes: ImageProcesses
  readonly #cache: ThumbnailCache
  /** Thumbnails that are being made, by hash and recipe. */
  readonly #made = new Map<string, Promise<Thumbnail | undefined>>()

  constructor(processes: ImageProcesses, cache: ThumbnailCache) {
    this.#processes = processes
    this.#cache = cache
  }

  /**
   * Judges a received file by its bytes and the rules of its field. An image loses its metadata, in the same path and durable, unless the rules keep
   * it, and its preview is made.
   *
   * @throws {ImageFault} if the field does not take the file
   * @throws {AppError} IMAGES_UNAVAILABLE for an image, if sharp is not installed
   */
  async inspect(file: InspectedFile, rules: FileRules): Promise<Inspection> {
    const stripped = `${file.path}.stripped`
    const recipe = rules.isImage ? rules.thumbnails.get(PREVIEW) : undefined
    const preview = recipe === undefined ? undefined : { path: await this.#cache.draft(), recipe }
    try {
      const result = await this.#run({ kind: 'inspect', path: file.path, rules: plainRules(rules), stripped, preview })
      if (result.stripped !== undefined) await rename(stripped, file.path)
      const inspected = { ...file, ...result.stripped }
      if (preview !== undefined) await this.#cache.add(inspected.sha256, preview.recipe, preview.path)
      return { file: inspected, type: result.type ?? '', image: result.image }
    } catch (error) {
      await rm(stripped, { force: true })
      if (preview !== undefined) await rm(preview.path, { force: true })
      throw error
    }
  }

  /**
   * A thumbnail of a stored image, made if it is not kept; once for requests at the same time.
   *
   * @param open gives the bytes of the image, or the path of a file that has them; undefined if they are missing. It is called when the image
   * process is free
   * @returns undefined if the bytes are missing
   * @throws {AppError} IMAGES_BUSY, IMAGES_UNAVAILABLE, INVALID_IMAGE, STORAGE_FULL
   */
  async thumbnail(request: ThumbnailRequest, open: () => Promise<Readable | string | undefined>): Promise<Thumbnail | undefined> {
    const { sha256, recipe } = request
    const kept = await this.#cache.find(sha256, recipe)
    if (kept !== undefined) return kept
    const key = `${sha256}-${recipeKey(recipe)}`
    const made = this.#made.get(key) ?? this.#make(request, open).finally(() => this.#made.delete(key))
    this.#made.set(key, made)
    return made
  }

  /** Removes the thumbnails of an image. */
  async forget(sha256: string): Promise<void> {
    const making = [...this.#made].filter(([key]) => key.startsWith(sha256)).map(([, made]) => made)
    await Promise.allSettled(making)
    await this.#cache.forget(sha256)
  }

  async #make({ sha256, recipe, maxPixels }: ThumbnailRequest, open: () => Promise<Readable | string | undefined>) {
    const target = await this.#cache.draft()
    const copy = `${target}.source`
    const onDisk = async (): Promise<string> => {
      const source = await open()
      if (source === undefined) throw new MissingBytes()
      if (typeof source === 'string') return source
      await pipeline(source, createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
      return copy
    }
    try {
      const limit = Math.max(maxPixels, USUAL_PIXELS)
      const job = { kind: 'thumbnail', path: copy, target, recipe, maxPixels: limit } as const
      await this.#run(job, onDisk).catch((error: unknown) => {
        if (!(error instanceof ImageFault)) throw error
        throw new AppError('INVALID_IMAGE', 'The image cannot be read: it is damaged, or it takes too long', { cause: error })
      })
      return await this.#cache.add(sha256, recipe, target)
    } catch (error) {
      if (error instanceof MissingBytes) return undefined
      throw explainedFull(error)
    } finally {
      await Promise.all([rm(target, { force: true }), rm(copy, { force: true })])
    }
  }

  /** @throws {ImageFault}, {AppError} IMAGES_BUSY, IMAGES_UNAVAILABLE */
  async #run(job: ImageJob, prepare?: () => Promise<string>): Promise<ImageJobResult> {
    const isImage = job.kind === 'thumbnail' || job.rules.isImage
    const outcome = await this.#processes.run(job, prepare).catch((error: unknown) => {
      // A file that brings the process down is one that cannot be read.
      if (!isImage || !(error instanceof ImageProcessEnded)) throw error
      throw new ImageFault(`must be an image that can be read: ${error.message}`, { cause: error })
    })
    if (outcome.kind === 'done') return outcome.result
    if (outcome.kind === 'refused') throw new ImageFault(outcome.problem)
    if (outcome.kind === 'unavailable') {
      const words = 'Images need the package sharp, which is not installed or does not run here: run `npm install sharp`'
      throw new AppError('IMAGES_UNAVAILABLE', words, { cause: new Error(outcome.reason) })
    }
    throw Object.assign(new Error(outcome.message), { code: outcome.code })
  }

  /** Counters and states for `/metrics`. */
  figures(): ImageFigures {
    return this.#processes.figures()
  }

  /** Ends the image processes. */
  close(): void {
    this.#processes.close()
  }
}

const plainRules = ({ isImage, accept, minWidth, minHeight, maxPixels, keepsMetadata }: FileRules): InspectionRules => ({
  isImage,
  accept,
  minWidth,
  minHeight,
  maxPixels,
  keepsMetadata,
})
