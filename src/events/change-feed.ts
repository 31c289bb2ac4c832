import type { Registry } from '../model/registry.ts'
import type { Change, ChangeKind, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'

/** Number of changes that are kept for subscribers that return. */
const MAX_KEPT = 10_000

/** A committed change of a record. Thousands are kept, so its event is made only for subscribers. */
export interface FeedChange {
  /** Position in the order of commits, from 1. */
  readonly sequence: number
  readonly table: string
  /** Id of the record. */
  readonly id: number
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
  /** Time of the change, in milliseconds. */
  readonly at: number
}

/** The latest changes of records, in commit order. Changes are numbered from the start, and kept once there has been a subscriber. */
export class ChangeFeed {
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #epoch: string
  #kept: FeedChange[] = []
  #last = 0
  #keeps = false
  readonly #listener: () => void

  /**
   * @param epoch identifies this run, since sequences begin again with each
   * @param listener called after changes of any table
   */
  constructor(
    { registry, store, clock, epoch }: { registry: Registry; store: Store; clock: Clock; epoch: string },
    listener = () => {},
  ) {
    this.#listener = listener
    this.#registry = registry
    this.#clock = clock
    this.#epoch = epoch
    store.onChange(
      (changes) => this.#note(changes),
      () => this.forget(),
    )
  }

  /** Keeps the changes from now on. */
  keep(): void {
    this.#keeps = true
  }

  /** Adds changes of other processes. */
  addOthers(changes: readonly Change[], at: number): void {
    this.#note(changes, at)
  }

  /** Forgets what is kept, after changes that are not known: subscribers are told that they missed some. */
  forget(): void {
    this.#kept = []
    this.#last++
    this.#listener()
  }

  /** Position of the last change. */
  get last(): number {
    return this.#last
  }

  /** The id of an event after the change at this position. */
  idOf(sequence: number): string {
    return `${this.#epoch}-${sequence}`
  }

  /** The position of an event id; undefined if later changes are not kept, or the id is of another run. */
  positionOf(id: string): number | undefined {
    const [, epoch, digits] = /^(.*)-(\d{1,15})$/.exec(id) ?? []
    const sequence = Number(digits)
    return epoch === this.#epoch && sequence <= this.#last && sequence >= this.#last - this.#kept.length ? sequence : undefined
  }

  /** The changes after a position; undefined if some of them are not kept. */
  after(sequence: number): readonly FeedChange[] | undefined {
    const count = this.#last - sequence
    if (count > this.#kept.length) return undefined
    return count === 0 ? [] : this.#kept.slice(-count)
  }

  /** The event by which subscribers are told of a change, as text. */
  eventOf({ sequence, table, id, before, after, at }: FeedChange): string {
    const action: ChangeKind = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    const data = JSON.stringify({ model: table, record_id: id, action, at: isoTime(at) })
    return eventText('change', data, this.idOf(sequence))
  }

  #note(changes: readonly Change[], at = this.#clock()): void {
    const told = changes.filter(({ table }) => !this.#registry.expect(table).internal)
    if (!this.#keeps) {
      this.#last += told.length
      return
    }
    // The events of a long import that would be dropped below are not made, since a million of them take hundreds of MB.
    const skipped = told.length > 2 * MAX_KEPT ? told.length - MAX_KEPT : 0
    if (skipped > 0) this.#kept = []
    this.#last += skipped
    for (const { table, id, before, after } of told.slice(skipped)) {
      this.#kept.push({ sequence: ++this.#last, table, id, before, after, at })
    }
    // Trimmed rarely, so that keeping a change takes constant time.
    if (this.#kept.length > 2 * MAX_KEPT) this.#kept = this.#kept.slice(-MAX_KEPT)
    this.#listener()
  }
}

/** An event of a stream (WHATWG HTML, section 9.2). */
export const eventText = (event: string, data: string, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
