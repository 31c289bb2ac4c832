import type { SavedLook } from '../client/client.ts'

/** Columns of a list that the user has chosen, in order. */
type ColumnChoice = readonly string[]

/** A selection of a list that the user has named, as earlier versions kept it in the browser. */
export interface SavedFilter {
  readonly name: string
  /** The search of the list's address, without `page`. */
  readonly search: string
}

/** A record, without anything of its contents. */
export interface RecordReference {
  readonly model: string
  readonly id: number
}

/** What the columns of a file became in an import, and how it wrote days and numbers. */
export interface RememberedMap {
  /** Fields by header; null for a column that is left out. */
  readonly columns: Readonly<Record<string, string | null>>
  readonly dates?: string | undefined
  readonly numbers?: string | undefined
}

/** What the browser keeps for the user. It never leaves the browser. */
export interface Preferences {
  readonly theme: 'light' | 'dark'
  readonly language: string
  /** True from a login until the logout, so that a visitor without a session is not asked for one of the server. */
  readonly hasSession: boolean
  /** By `<model>/<list>`. */
  readonly columns: Readonly<Record<string, ColumnChoice>>
  /** Widths of columns in pixels, by `<model>/<list>` and column. */
  readonly columnWidths: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Columns that stay in sight, by `<model>/<list>`. */
  readonly pinnedColumns: Readonly<Record<string, readonly string[]>>
  /** Totals below a list, by `<model>/<list>`. */
  readonly totals: Readonly<Record<string, readonly ('sum' | 'avg')[]>>
  /** Looks of opened saved views that are not saved there, by id of the view. */
  readonly changedLooks: Readonly<Record<string, { readonly [Member in keyof SavedLook]?: SavedLook[Member] | undefined }>>
  /** By model: left by earlier versions until they are saved views of the user. */
  readonly savedFilters: Readonly<Record<string, readonly SavedFilter[]>>
  /** Maps of imports by model, the latest first. */
  readonly importMaps: Readonly<Record<string, readonly RememberedMap[]>>
  /** Records that were opened last, by id of the user. */
  readonly recentRecords: Readonly<Record<string, readonly RecordReference[]>>
  /** Height of the rows of lists. */
  readonly density: 'compact'
  /** Titles of the groups of the menu that are folded. */
  readonly foldedGroups: readonly string[]
}

const PREFIX = 'admin.'

/** Reads and stores preferences in a storage. A storage that refuses, as in some private windows, is as an empty one. */
export class PreferenceStore {
  readonly #storage: Storage | undefined
  readonly #values = new Map<string, unknown>()
  readonly #listeners = new Set<() => void>()

  constructor(storage: Storage | undefined) {
    this.#storage = storage
  }

  /** False if the browser keeps nothing for this page. */
  get isKept(): boolean {
    return this.#storage !== undefined
  }

  /** The value that the user has chosen; undefined without one. The same object until it changes. */
  readonly get = <K extends keyof Preferences>(name: K): Preferences[K] | undefined => {
    if (!this.#values.has(name)) this.#values.set(name, this.#read(name))
    return this.#values.get(name) as Preferences[K] | undefined
  }

  /** @param value undefined for the default */
  readonly set = <K extends keyof Preferences>(name: K, value: Preferences[K] | undefined): void => {
    this.#values.set(name, value)
    try {
      if (value === undefined) this.#storage?.removeItem(PREFIX + name)
      else this.#storage?.setItem(PREFIX + name, JSON.stringify(value))
    } catch {
      // A full or forbidden storage: the choice holds until the page is loaded again.
    }
    for (const listener of this.#listeners) listener()
  }

  /** Registers a listener for changes; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #read(name: string): unknown {
    try {
      return JSON.parse(this.#storage?.getItem(PREFIX + name) ?? 'null') ?? undefined
    } catch {
      return undefined
    }
  }
}

function browserStorage(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

/** The preferences of this browser. */
export const preferences = new PreferenceStore(browserStorage())
