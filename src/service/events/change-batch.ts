import type { Actor } from '../../auth/permissions.ts'
import type { Filter } from '../../query/plan.ts'
import type { Store } from '../../store/store.ts'
import type { AccessRules } from '../access/access-rules.ts'
import { matchesRecord } from '../access/match-record.ts'
import type { ChangeFeed, FeedChange } from './change-feed.ts'

const NOTHING = Buffer.alloc(0)

/** Consecutive changes, and the events by which users are told of them. Users who may view all records of the same models share a text. */
export class ChangeBatch {
  readonly #changes: readonly FeedChange[]
  readonly #tables: readonly string[]
  readonly #feed: ChangeFeed
  readonly #access: AccessRules
  readonly #store: Store
  readonly #shared = new Map<string, Buffer>()
  readonly #events = new Map<FeedChange, string>()

  constructor(changes: readonly FeedChange[], { feed, access, store }: { feed: ChangeFeed; access: AccessRules; store: Store }) {
    this.#changes = changes
    this.#tables = [...new Set(changes.map(({ table }) => table))]
    this.#feed = feed
    this.#access = access
    this.#store = store
  }

  /**
   * The events of the changes that an actor may know of.
   *
   * @param models keys of the models to tell of; all when absent
   */
  async eventsFor(actor: Actor, models: ReadonlySet<string> | undefined): Promise<Buffer> {
    const shown = new Map<string, Filter | undefined>()
    for (const table of this.#tables) {
      if (models?.has(table) === false) continue
      const model = this.#access.registry.expect(table)
      if (this.#access.may(actor, 'view', model)) shown.set(table, this.#access.only(actor, 'view', model))
    }
    if (shown.size === 0) return NOTHING
    if ([...shown.values()].some((only) => only !== undefined)) return this.#filtered(shown)
    const key = [...shown.keys()].join()
    const events = this.#shared.get(key) ?? this.#textOf(this.#changes.filter(({ table }) => shown.has(table)))
    this.#shared.set(key, events)
    return events
  }

  /** For an actor who may view some records of a model only. A record that comes into view, or goes out of it, is told of. */
  async #filtered(shown: ReadonlyMap<string, Filter | undefined>): Promise<Buffer> {
    const visible: FeedChange[] = []
    for (const change of this.#changes) {
      const { table, before, after } = change
      if (!shown.has(table)) continue
      const only = shown.get(table)
      let isVisible = only === undefined
      for (const record of [after, before]) {
        isVisible ||= record !== undefined && only !== undefined && (await matchesRecord(this.#store, only, record))
      }
      if (isVisible) visible.push(change)
    }
    return this.#textOf(visible)
  }

  #textOf(changes: readonly FeedChange[]): Buffer {
    const events = changes.map((change) => {
      const event = this.#events.get(change) ?? this.#feed.eventOf(change)
      this.#events.set(change, event)
      return event
    })
    return Buffer.from(events.join(''))
  }
}
