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

  async begin(): Promise<void> {
    for (const feature of this.#all) await feature.begin?.()
  }

  async stop(): Promise<void> {
    for (const feature of this.#all.toReversed()) await feature.stop?.()
  }
}
