import { Heap } from 'heap-js'

/** A delivery to one endpoint: an event and its number of failed attempts. */
export interface Job {
  readonly event: number
  readonly tries: number
}

/** A delivery that must not be attempted before `due`. */
export interface ScheduledJob extends Job {
  /** Milliseconds since the Unix epoch. */
  readonly due: number
}

/**
 * Events with ids that are less than this before the newest one may still be added: with several processes, transactions commit in another
 * order than they take ids.
 */
export const LATE_IDS = 1000

/**
 * The pending deliveries of one endpoint: those waiting for a retry, and those ready, oldest first. An event not attempted yet
 * costs only its id, since a dead receiver may accumulate very many.
 */
export class Queue {
  #unattempted: number[] = []
  /** Index of the first remaining event. Taken ones are removed in batches. */
  #head = 0
  /** Retries: earliest due time first, then earliest commit. */
  readonly #retries = new Heap<ScheduledJob>((a, b) => a.due - b.due || a.event - b.event)
  /** Index of the first event that was added during a load. */
  #loadedTo = Number.POSITIVE_INFINITY
  /** Highest id of the events that were added or loaded. */
  #newest = 0
  /** The events that were added or loaded, as far as `add` could be called with them again. */
  #known = new Set<number>()

  /** Number of deliveries. */
  get size(): number {
    return this.#unattempted.length - this.#head + this.#retries.size()
  }

  /** Time of the next attempt: 0 if a delivery has not been attempted yet; undefined if the queue is empty. */
  get nextDue(): number | undefined {
    return this.#head < this.#unattempted.length ? 0 : this.#retries.peek()?.due
  }

  /** All events up to this id are known, but for those of transactions that took their ids long before they committed. */
  get knownUpTo(): number {
    return Math.max(0, this.#newest - LATE_IDS)
  }

  /** Adds a newly committed event, unless it was added or loaded before. */
  add(event: number): void {
    if (event <= this.knownUpTo || this.#known.has(event)) return
    this.know([event])
    this.#unattempted.push(event)
  }

  /** Begins a load: events that are added from now on may not be among those that are read. No event is taken before `load`. */
  beginLoad(): void {
    this.#loadedTo = this.#unattempted.length
  }

  /**
   * Adds all pending deliveries from storage, keeping what was added or rescheduled while they were read.
   *
   * @param jobs oldest first
   */
  load(jobs: readonly ScheduledJob[]): void {
    const known = new Set(jobs.map(({ event }) => event))
    const newest = jobs.reduce((highest, { event }) => Math.max(highest, event), 0)
    const isNew = (event: number, index: number) => index >= this.#loadedTo || event > newest
    const addedSince = this.#unattempted.filter((event, index) => index >= this.#head && isNew(event, index) && !known.has(event))
    this.#loadedTo = Number.POSITIVE_INFINITY
    const failedSince = this.#retries.toArray().filter(({ event }) => !known.has(event))
    const isUnattempted = ({ tries, due }: ScheduledJob) => tries === 0 && due === 0
    const unattempted = jobs.filter(isUnattempted).map(({ event }) => event)
    this.#unattempted = [...unattempted, ...addedSince]
    this.#head = 0
    this.know(known)
    this.#retries.init([...failedSince, ...jobs.filter((job) => !isUnattempted(job))])
  }

  /** Schedules a retry. */
  addRetry(job: ScheduledJob): void {
    this.#retries.push(job)
  }

  /** Removes an event from the queue. */
  remove(event: number): void {
    this.#retries.init(this.#retries.toArray().filter((job) => job.event !== event))
    const at = this.#unattempted.indexOf(event, this.#head)
    if (at === -1) return
    this.#unattempted.splice(at, 1)
    if (at < this.#loadedTo) this.#loadedTo--
  }

  /** Takes the next delivery that may be attempted; retries go first. */
  take(now: number): Job | undefined {
    const [retry, event] = [this.#retries.peek(), this.#unattempted[this.#head]]
    if (retry !== undefined && retry.due <= now) return this.#retries.pop()
    if (event === undefined) return undefined
    this.#head++
    if (this.#head > 1000 && this.#head * 2 > this.#unattempted.length) {
      this.#unattempted = this.#unattempted.slice(this.#head)
      this.#head = 0
    }
    return { event, tries: 0 }
  }

  clear(): void {
    this.#unattempted = []
    this.#head = 0
    this.#retries.clear()
    this.#known.clear()
    this.#newest = 0
  }

  /** Notes events that `add` is to ignore. */
  know(events: Iterable<number>): void {
    for (const event of events) {
      this.#newest = Math.max(this.#newest, event)
      if (event > this.knownUpTo) this.#known.add(event)
    }
    if (this.#known.size > 2 * LATE_IDS) this.#known = new Set([...this.#known].filter((event) => event > this.knownUpTo))
  }
}
