import type { SeedFile } from '../config/project-files.ts'
import type { Project } from '../service/project/project.ts'
import { checkAccountReferences, planReset, type ResetRequest, seedsAfter } from '../service/project/reset.ts'
import { nothingWritten } from '../service/project/snapshots.ts'
import { FileStore } from '../store/embedded/file-store.ts'
import type { Release } from '../store/embedded/files/lock.ts'
import { MemoryStore } from '../store/embedded/memory-store.ts'
import { changeData, checkCopy } from '../store/embedded/snapshot/saved-copies.ts'
import type { Store } from '../store/store.ts'
import type { App, AppDependencies, AppMode, Replaced, Replacement } from './interfaces.ts'

/** State that a replacement takes over from the application before it. */
export interface Inheritance {
  readonly lock?: Release | undefined
  /** Token secret and, unless the data changes, records of an ephemeral application. */
  readonly secret?: string | undefined
  readonly records?: MemoryStore | undefined
  /** The tables to take over from `records`; all of them when absent. */
  readonly keep?: ReadonlySet<string>
  /** Seed files to create records from; when absent, those of the project if the store is new. */
  readonly seeds?: readonly SeedFile[]
}

/** Opens an application that takes over the given state. */
export type Open = (project: Project, mode: AppMode, dependencies: AppDependencies, inheritance: Inheritance) => Promise<App>

/** Closes the store of a stopped application, changes the data, and opens the replacement. */
export async function openNext(
  { project, data }: Replacement,
  app: App,
  mode: AppMode,
  dependencies: AppDependencies,
  secret: string,
  open: Open,
): Promise<Replaced> {
  const { store, dataFolder } = app
  const lock = store instanceof FileStore ? await store.handOver() : await store.close().then(() => undefined)
  const records = store instanceof MemoryStore && !(store instanceof FileStore) ? store : undefined
  try {
    const next = project ?? app.project
    const reset = data?.kind === 'reset' ? await planned(data, next, store) : undefined
    const change = data?.kind === 'reset' ? reset : data
    if (dataFolder !== undefined && change !== undefined) await changeData(dataFolder, next.registry, change)
    const kept = data === undefined || (reset?.keep.size ?? 0) > 0 ? records : undefined
    return { app: await open(next, mode, dependencies, { lock, secret, ...reset, records: kept }) }
  } catch (failure) {
    const former = { lock, secret, records, seeds: [] }
    return { app: await open(app.project, mode, dependencies, former).catch(() => app), failure }
  }
}

/** @throws {AppError} the error that would make the replacement fail */
export async function rehearse(
  { project, data }: Replacement,
  { dataFolder, project: present, store }: App,
  dependencies: AppDependencies,
  open: Open,
): Promise<void> {
  const next = project ?? present
  if (data?.kind === 'load') {
    if (dataFolder === undefined) throw nothingWritten()
    await checkCopy(dataFolder, next.registry, data.copy)
  }
  if (data?.kind !== 'reset') return
  // Done in memory first, so that a faulty seed record or account is reported before the data is removed.
  const plan = await planned(data, next, store)
  const records = plan.keep.size > 0 && store instanceof MemoryStore ? store : undefined
  const trial = await open(next, 'ephemeral', dependencies, { ...plan, records })
  try {
    await checkAccountReferences(trial.store, next.registry)
  } finally {
    await trial.close()
  }
}

/** The tables that a reset keeps, and the seed files to create records from. */
async function planned(request: ResetRequest, { registry, seeds }: Project, store: Store) {
  const plan = await planReset(store, registry, request)
  return { kind: 'reset', keep: plan.keep, seeds: seedsAfter(seeds, request, plan) } as const
}
