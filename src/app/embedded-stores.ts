import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadOrCreateSecret, makeSecret } from '../auth/secret.ts'
import type { Log } from '../log/log.ts'
import { FILE_TABLE } from '../model/files.ts'
import type { Registry } from '../model/registry.ts'
import { nothingWritten } from '../project/snapshots.ts'
import { FolderBlobs } from '../store/blobs/folder-blobs.ts'
import { ProcessLocks } from '../store/blobs/hash-locks.ts'
import { FileStore } from '../store/embedded/file-store.ts'
import type { Disk } from '../store/embedded/files/disk.ts'
import type { Release } from '../store/embedded/files/lock.ts'
import {
  type CopyRequest,
  changeData,
  checkCopy,
  hashesInCopies,
  rejectExisting,
  removeCopy,
  saveCopy,
  savedCopies,
} from '../store/embedded/files/saved-copies.ts'
import { MemoryStore } from '../store/embedded/memory-store.ts'
import type { Store } from '../store/store.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { Handover, OpenedStore } from './opened-store.ts'

/** Dependencies of a store. */
export interface StoreParts {
  readonly log: Log
  readonly random: Random
  readonly disk?: Disk | undefined
}

const explainTo = (log: Log) => (log.debugs ? (line: string) => log.debug(line) : undefined)

/** What an engine in this process, which no other process uses, does without. */
const OF_THIS_PROCESS = {
  search: undefined,
  leases: undefined,
  changeLog: undefined,
  limits: undefined,
  isRemote: false,
  probe: async () => {},
  figures: () => ({}),
} as const

/**
 * Opens the store in a data folder.
 *
 * @param lock the lock of the folder, if this process holds it already
 * @throws {AppError} DATA_IN_USE, DATA_CORRUPT
 */
export async function openFileStore(
  folder: string,
  registry: Registry,
  mode: 'read' | 'write',
  parts: StoreParts,
  lock?: Release,
): Promise<OpenedStore> {
  const { log, random, disk } = parts
  const options = {
    warn: (message: string) => log.warn(message),
    explain: explainTo(log),
    failed: log.error,
    lock,
    ...(disk && { disk }),
  }
  const store = await FileStore.open(folder, registry, mode, options)
  return {
    store,
    blobs: blobsIn(filesFolder(folder), disk),
    place: folder,
    dataFolder: folder,
    ...OF_THIS_PROCESS,
    ...copiesOf(folder, store, registry),
    initialize: async (work) => work(store.isNew || (await hasOnlyUploads(store, registry))),
    secret: () => loadOrCreateSecret(folder, random),
    async handOver() {
      const release = await store.handOver()
      const handover: Handover = {
        async change(next, change) {
          await changeData(folder, next, change)
          return handover
        },
        open: (next) => openFileStore(folder, next, mode, parts, release),
      }
      return handover
    },
    close: () => store.close(),
  }
}

/** The folder of the bytes of files in a data folder. */
export const filesFolder = (dataFolder: string): string => join(dataFolder, 'files')

/** The bytes of files in a folder that this process has to itself. */
export const blobsIn = (folder: string, disk?: Disk): FolderBlobs =>
  new FolderBlobs(folder, new ProcessLocks(folder), disk && { disk })

/** Bytes of a store in memory: in a temporary folder, which exists as soon as there are some. */
class TemporaryBlobs extends FolderBlobs {
  readonly #own: string

  constructor(random: Random) {
    const folder = join(tmpdir(), `admin-files-${uniqueId(random)}`)
    super(folder, new ProcessLocks(folder))
    this.#own = folder
  }

  /** Removes the folder with all bytes. */
  async dispose(): Promise<void> {
    await rm(this.#own, { recursive: true, force: true })
  }
}

/** True for the store of a first start that ended between the uploads of the files of seeds and the transaction that makes the records. */
async function hasOnlyUploads(store: FileStore, registry: Registry): Promise<boolean> {
  const counts = async (key: string) => (await store.find(key, { filters: [], sort: [], offset: 0, limit: 0 })).total
  if ((await counts(FILE_TABLE)) === 0) return false
  for (const { key } of registry.all) if (key !== FILE_TABLE && (await counts(key)) > 0) return false
  return true
}

function copiesOf(folder: string, store: FileStore, own: Registry): Pick<OpenedStore, 'snapshots' | 'snapshotHashes'> {
  let saved: Promise<unknown> = Promise.resolve()
  const save = async (request: CopyRequest) => {
    await rejectExisting(folder, request)
    return store.withSnapshot(() => saveCopy(folder, request))
  }
  return {
    snapshots: {
      areAvailable: true,
      list: () => savedCopies(folder),
      save(request) {
        const saving = save(request)
        saved = Promise.allSettled([saved, saving])
        return saving
      },
      remove: (name) => removeCopy(folder, name),
      check: (registry, name) => checkCopy(folder, registry, name),
    },
    async snapshotHashes() {
      await saved
      return hashesInCopies(folder, own)
    },
  }
}

/** Opens a new store in memory. */
export const openMemoryStore = (registry: Registry, parts: StoreParts): OpenedStore => memory(registry, parts, { isNew: true })

/** Opens a store in memory that begins with the records of some tables of another store. */
export async function openMemoryCopy(
  registry: Registry,
  parts: StoreParts,
  { store, tables }: { readonly store: Store; readonly tables: ReadonlySet<string> },
): Promise<OpenedStore> {
  const opened = memory(registry, parts, { isNew: tables.size === 0 })
  await opened.store.copy(store, tables)
  return opened
}

function memory(
  registry: Registry,
  parts: StoreParts,
  { isNew, blobs = new TemporaryBlobs(parts.random) }: { readonly isNew: boolean; readonly blobs?: TemporaryBlobs },
): OpenedStore & { readonly store: MemoryStore } {
  const store = new MemoryStore(registry, { explain: explainTo(parts.log), failed: parts.log.error })
  let secret: string | undefined
  return {
    store,
    blobs,
    snapshotHashes: async () => new Set(),
    place: undefined,
    dataFolder: undefined,
    ...OF_THIS_PROCESS,
    snapshots: { areAvailable: false, refusal: nothingWritten, list: async () => [] },
    initialize: (work) => work(isNew),
    async secret() {
      secret ??= makeSecret(parts.random)
      return secret
    },
    async handOver() {
      await store.close()
      return memoryHandover({ store, blobs }, parts, undefined)
    },
    async close() {
      await store.close()
      await blobs.dispose()
    },
  }
}

/** @param keep the tables to take over; all of them when undefined */
const memoryHandover = (
  former: { readonly store: MemoryStore; readonly blobs: TemporaryBlobs },
  parts: StoreParts,
  keep: ReadonlySet<string> | undefined,
): Handover => ({
  async change(_, change) {
    if (change.kind === 'load') throw nothingWritten()
    return memoryHandover(former, parts, change.keep)
  },
  async open(registry) {
    const opened = memory(registry, parts, { isNew: keep?.size === 0, blobs: former.blobs })
    if (keep?.size !== 0) await opened.store.adopt(former.store, keep)
    return opened
  },
})
