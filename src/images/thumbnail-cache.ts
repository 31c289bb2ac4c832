import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { ThumbnailRecipe } from '../model/files.ts'
import { type Clock, DAY_MS } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'

/** Maximum size of all thumbnails, in bytes. */
const MAX_BYTES = 2 * 1024 ** 3

/** Drafts of an earlier process are removed after this time. */
const DRAFT_MS = 3600 * 1000

const DRAFTS = 'drafts'

/** A thumbnail that is ready. */
export interface Thumbnail {
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Its media type. */
  readonly type: string
}

/** Names what a recipe makes: other sides, another fit, format or quality have another name. Safe in file names and entity tags. */
export const recipeKey = ({ width, height, fit, format, quality }: ThumbnailRecipe): string =>
  `${width ?? ''}x${height ?? ''}-${fit}${quality === undefined ? '' : `-${quality}`}.${format}`

interface CacheOptions {
  readonly clock: Clock
  readonly random: Random
  readonly maxBytes?: number
}

/**
 * A folder of thumbnails up to a total size: those that were not used for the longest time are removed. Several processes may share the folder,
 * each within the size.
 */
export class ThumbnailCache {
  readonly #folder: string
  readonly #clock: Clock
  readonly #random: Random
  /** Sizes by name, in the order of their use. */
  readonly #sizes: LRUCache<string, number>
  #removals: Promise<unknown> = Promise.resolve()
  #ready: Promise<void> | undefined

  constructor(folder: string, { clock, random, maxBytes = MAX_BYTES }: CacheOptions) {
    this.#folder = folder
    this.#clock = clock
    this.#random = random
    this.#sizes = new LRUCache<string, number>({
      maxSize: maxBytes,
      sizeCalculation: (size) => Math.max(1, size),
      dispose: (_, name, reason) => {
        if (reason === 'set') return
        const removal = rm(join(this.#folder, name), { force: true })
        this.#removals = Promise.allSettled([this.#removals, removal])
      },
    })
  }

  /** The thumbnail of an image; undefined if it is not kept. */
  async find(sha256: string, recipe: ThumbnailRecipe): Promise<Thumbnail | undefined> {
    const name = nameOf(sha256, recipe)
    const path = join(this.#folder, name)
    const found = await stat(path).catch(absent)
    // A crash of the machine may leave an empty file.
    if (found === undefined || found.size === 0) return undefined
    this.#sizes.get(name)
    const now = this.#clock()
    if (now - found.mtimeMs > DAY_MS) await utimes(path, now / 1000, now / 1000).catch(absent)
    return { path, size: found.size, type: `image/${recipe.format}` }
  }

  /** A path in the folder for a thumbnail that is being made. */
  async draft(): Promise<string> {
    await this.#load()
    return join(this.#folder, DRAFTS, uniqueId(this.#random))
  }

  /** Keeps a finished draft as the thumbnail of an image. */
  async add(sha256: string, recipe: ThumbnailRecipe, draft: string): Promise<Thumbnail> {
    const name = nameOf(sha256, recipe)
    const path = join(this.#folder, name)
    const { size } = await stat(draft)
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    await rename(draft, path)
    this.#sizes.set(name, size)
    await this.#removals
    return { path, size, type: `image/${recipe.format}` }
  }

  /** Removes the thumbnails of an image. */
  async forget(sha256: string): Promise<void> {
    const group = groupOf(sha256)
    const names = (await readdir(join(this.#folder, group)).catch(absent)) ?? []
    for (const name of names.filter((each) => each.startsWith(sha256))) {
      this.#sizes.delete(`${group}/${name}`)
      await rm(join(this.#folder, group, name), { force: true })
    }
  }

  /** Reads once which thumbnails earlier processes have left. */
  #load(): Promise<void> {
    this.#ready ??= this.#readFolder().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #readFolder(): Promise<void> {
    await mkdir(join(this.#folder, DRAFTS), { recursive: true, mode: 0o700 })
    const found: { readonly name: string; readonly size: number; readonly usedAt: number }[] = []
    for (const group of await readdir(this.#folder)) {
      for (const file of (await readdir(join(this.#folder, group)).catch(absent)) ?? []) {
        const name = `${group}/${file}`
        const status = await stat(join(this.#folder, name)).catch(absent)
        if (status === undefined) continue
        if (group !== DRAFTS) found.push({ name, size: status.size, usedAt: status.mtimeMs })
        else if (this.#clock() - status.mtimeMs > DRAFT_MS) await rm(join(this.#folder, name), { force: true })
      }
    }
    for (const { name, size } of found.sort((a, b) => a.usedAt - b.usedAt)) this.#sizes.set(name, size)
    await this.#removals
  }
}

/** Folders of few files each. */
const groupOf = (sha256: string): string => sha256.slice(0, 2)

function nameOf(sha256: string, recipe: ThumbnailRecipe): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('A hash has 64 hexadecimal digits')
  return `${groupOf(sha256)}/${sha256}-${recipeKey(recipe)}`
}

/** Files may be removed by another process at any time. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
