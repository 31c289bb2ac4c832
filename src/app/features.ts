import type { Hooks, WriteHooks } from '../records/hooks.ts'

/** A part of the application. */
interface Feature {
  /** What it does with each write. */
  readonly hooks?: WriteHooks | readonly WriteHooks[]
  /** Begins the background work of a server. */
  begin?(): void | Promise<void>
  /** Ends it, before the application is replaced or closed. */
  stop?(): void | Promise<void>
}

/** The features of an application, in the order in which they are used. They stop in reverse order. */
export class Features {
  readonly #hooks: Hooks
  readonly #all: Feature[] = []

  constructor(hooks: Hooks) {
    this.#hooks = hooks
  }

  use<F extends Feature>(feature: F): F {
    this.#all.push(feature)
    this.#hooks.use(...[feature.hooks ?? []].flat())
    return feature
  }

  /** Begins all at once, so that none waits for another, or fails with it. @throws the first error, once all have begun or failed */
  async begin(): Promise<void> {
    const begun = await Promise.allSettled(this.#all.map(async (feature) => feature.begin?.()))
    for (const each of begun) if (each.status === 'rejected') throw each.reason
  }

  async stop(): Promise<void> {
    for (const feature of this.#all.toReversed()) await feature.stop?.()
  }
}
