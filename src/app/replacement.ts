import type { SeedFile } from '../config/project-files.ts'
import type { Registry } from '../model/registry.ts'
import { type Project, withPresentSeeds } from '../project/project.ts'
import { checkAccountReferences, planReset, type ResetRequest, seedsAfter } from '../project/reset.ts'
import { expectCopies } from '../project/snapshots.ts'
import type { Store } from '../store/store.ts'
import type { App, AppDependencies, AppMode, Replaced, Replacement } from './dependencies.ts'
import type { Handover, OpenedStore } from './opened-store.ts'

/** State that a replacement takes over from the application before it. */
export interface CarriedState {
  /** The data of the former application. */
  readonly from?: Pick<Handover, 'open'> | undefined
  /** Token secret of an ephemeral application. */
  readonly secret?: string | undefined
  /** Seed files to create records from; when absent, the project's seed files if the store is new. */
  readonly seeds?: readonly SeedFile[]
  /** The tables that a reset has kept; absent if the data are whole. */
  readonly kept?: ReadonlySet<string>
}

/** Opens an application that takes over the given state. */
export type Open = (project: Project, mode: AppMode, dependencies: AppDependencies, carried: CarriedState) => Promise<App>

/** An application with its store. */
interface Running {
  readonly app: App
  readonly opened: OpenedStore
}

/** Closes the store of a stopped application, changes the data, and opens the replacement. */
export async function openNext(
  replacement: Replacement,
  { app, opened }: Running,
  mode: AppMode,
  dependencies: AppDependencies,
  secret: string,
  open: Open,
): Promise<Replaced> {
  const handover = await opened.handOver()
  try {
    const { data } = replacement
    const next = await nextProject(replacement, app.project)
    const reset = data?.kind === 'reset' ? await planned(data, next, opened.store) : undefined
    const change = data?.kind === 'reset' ? reset : data
    const from = change === undefined ? handover : await handover.change(next.registry, change)
    return { app: await open(next, mode, dependencies, { from, secret, ...(reset && { seeds: reset.seeds, kept: reset.keep }) }) }
  } catch (failure) {
    const former = { from: handover, secret, seeds: [] }
    return { app: await open(app.project, mode, dependencies, former).catch(() => app), failure }
  }
}

/** @throws {AppError} the error that would make the replacement fail */
export async function rehearse(
  replacement: Replacement,
  { app: { project: present }, opened }: Running,
  dependencies: AppDependencies,
  open: Open,
  copyInMemory: (registry: Registry, tables: ReadonlySet<string>) => Promise<OpenedStore>,
): Promise<void> {
  const { data } = replacement
  const next = await nextProject(replacement, present)
  if (data?.kind === 'load') await expectCopies(opened.snapshots).check(next.registry, data.copy)
  if (data?.kind !== 'reset') return
  // Done in memory first, so that a faulty seed record or account is reported before the data is removed.
  const { keep, seeds } = await planned(data, next, opened.store)
  const from = { open: (registry: Registry) => copyInMemory(registry, keep) }
  const trial = await open(next, 'ephemeral', dependencies, { from, seeds, kept: keep })
  try {
    await checkAccountReferences(trial.store, next.registry)
  } finally {
    await trial.close()
  }
}

/** The project to open. A reset takes the seed files as they are now, not as they were at the start. */
async function nextProject({ project, data }: Replacement, present: Project): Promise<Project> {
  const next = project ?? present
  return data?.kind === 'reset' && data.seeds ? withPresentSeeds(next) : next
}

/** The tables that a reset keeps, and the seed files to create records from. */
async function planned(request: ResetRequest, { registry, seeds }: Project, store: Store) {
  const plan = await planReset(store, registry, request)
  return { kind: 'reset', keep: plan.keep, seeds: seedsAfter(seeds, request, plan) } as const
}
