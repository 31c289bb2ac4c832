import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registry } from '../../../src/model/registry.ts'
import type { Store } from '../../../src/store/store.ts'
import { Library, libraryRegistry } from './library.ts'

/** A store that was opened for one test. */
export interface OpenedStore {
  readonly store: Store
  /** Closes the store and opens another on the same data. */
  readonly reopen?: () => Promise<OpenedStore>
  /** Closes the store and forgets its data. */
  readonly close: () => Promise<void>
}

/** Opens an empty store. */
export type OpenStore = (registry: Registry) => Promise<OpenedStore> | OpenedStore

export interface ContractOptions {
  /** Parts of the contract that the engine cannot be held to, and why. */
  readonly skip?: {
    readonly reopen?: string
    /** Listeners hear of a change in the step in which readers see it. */
    readonly step?: string
  }
  /** How many random steps the comparison with a model takes; fewer for an engine that is slow to write. */
  readonly randomSteps?: number
}

/** Lends a test an empty library and takes it back. */
export class Lending {
  lent: Library
  readonly #registry: Registry
  #opened: OpenedStore

  private constructor(registry: Registry, opened: OpenedStore) {
    this.#registry = registry
    this.#opened = opened
    this.lent = new Library(opened.store)
  }

  static async begin(open: OpenStore): Promise<Lending> {
    const registry = libraryRegistry()
    return new Lending(registry, await open(registry))
  }

  get registry(): Registry {
    return this.#registry
  }

  get canReopen(): boolean {
    return this.#opened.reopen !== undefined
  }

  /** Closes the library and opens it again. */
  async reopen(): Promise<Library> {
    const { reopen } = this.#opened
    assert.ok(reopen !== undefined, 'the engine cannot be reopened: say so in `skip.reopen`')
    this.#opened = await reopen()
    this.lent = new Library(this.#opened.store)
    return this.lent
  }

  async end(): Promise<void> {
    await this.#opened.close()
  }
}

/** Declares a test on an empty library. */
export type Check = (name: string, body: (library: Library, lending: Lending) => Promise<void>) => void

/** @param skip why the tests are skipped, if they are */
export function checkOn(open: OpenStore, skip?: string): Check {
  return (name, body) => {
    test(name, skip === undefined ? {} : { skip }, async () => {
      const lending = await Lending.begin(open)
      try {
        await body(lending.lent, lending)
      } finally {
        await lending.end()
      }
    })
  }
}
