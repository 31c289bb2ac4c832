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
 * The pending deliveries of one endpoint: those waiting for a retry, and those ready, oldest first. An event not attempted yet
 * costs only its id, since a dead receiver may accumulate very many.
 */
export class Queue {
  #unattempted: number[] = []
  /** Index of the first remaining event. Taken ones are removed in batches. */
  #head = 0
  /** Retries: earliest due time first, then earliest commit. */
  readonly #retries = new Heap<ScheduledJob>((a, b) => a.due - b.due || a.event - b.event)
  /** Highest event id of the last load. `add` ignores events up to it. */
  #loadedUpTo = 0

  /** Number of deliveries. */
  get size(): number {
    return this.#unattempted.length - this.#head + this.#retries.size()
  }

  /** Time of the next attempt: 0 if a delivery has not been attempted yet; undefined if the queue is empty. */
  get nextDue(): number | undefined {
    return this.#head < this.#unattempted.length ? 0 : this.#retries.peek()?.due
  }

  /** Adds a newly committed event. */
  add(event: number): void {
    if (event > this.#loadedUpTo) this.#unattempted.push(event)
  }

  /**
   * Adds all pending deliveries from storage, keeping what was added or rescheduled while they were read.
   *
   * @param jobs oldest first
   */
  load(jobs: readonly ScheduledJob[]): void {
    const newest = jobs.reduce((highest, { event }) => Math.max(highest, event), 0)
    const addedSince = this.#unattempted.slice(this.#head).filter((event) => event > newest)
    const known = new Set(jobs.map(({ event }) => event))
    const failedSince = this.#retries.toArray().filter(({ event }) => !known.has(event))
    const isUnattempted = ({ tries, due }: ScheduledJob) => tries === 0 && due === 0
    const unattempted = jobs.filter(isUnattempted).map(({ event }) => event)
    this.#unattempted = [...unattempted, ...addedSince]
    this.#head = 0
    this.#loadedUpTo = newest
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
    if (at !== -1) this.#unattempted.splice(at, 1)
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
  }
}
