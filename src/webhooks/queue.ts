import { Heap } from '../util/heap.ts'

/** A delivery to one endpoint: an event and its number of failed attempts. */
export interface Job {
  readonly event: number
  readonly tries: number
}

/** A delivery that must not be attempted before `due`. */
export interface Waiting extends Job {
  /** Milliseconds since the Unix epoch. */
  readonly due: number
}

/**
 * The pending deliveries of one endpoint: those waiting for a retry, and those ready, oldest first. An event not attempted yet
 * costs only its id, since a dead receiver may accumulate very many.
 */
export class Queue {
  #fresh: number[] = []
  /** Index of the first remaining event. Taken ones are removed in batches. */
  #head = 0
  /** Retries: earliest due time first, then earliest commit. */
  readonly #waiting = new Heap<Waiting>((a, b) => a.due - b.due || a.event - b.event)
  /** Events up to this id came with a load, so `add` ignores them. */
  #loaded = 0

  /** Number of deliveries. */
  get size(): number {
    return this.#fresh.length - this.#head + this.#waiting.size
  }

  /** Time of the next attempt: 0 if a delivery has not been attempted yet; undefined if the queue is empty. */
  get nextDue(): number | undefined {
    return this.#head < this.#fresh.length ? 0 : this.#waiting.first?.due
  }

  /** Adds a newly committed event. */
  add(event: number): void {
    if (event > this.#loaded) this.#fresh.push(event)
  }

  /**
   * Adds all pending deliveries from storage, keeping what was added or rescheduled while they were read.
   *
   * @param waiting oldest first
   */
  load(waiting: readonly Waiting[]): void {
    const last = waiting.reduce((highest, { event }) => Math.max(highest, event), 0)
    const later = this.#fresh.slice(this.#head).filter((event) => event > last)
    const known = new Set(waiting.map(({ event }) => event))
    const failed = this.#waiting.items.filter(({ event }) => !known.has(event))
    const isFresh = ({ tries, due }: Waiting) => tries === 0 && due === 0
    const fresh = waiting.filter(isFresh).map(({ event }) => event)
    this.#fresh = [...fresh, ...later]
    this.#head = 0
    this.#loaded = last
    this.#waiting.replaceAll([...failed, ...waiting.filter((job) => !isFresh(job))])
  }

  /** Schedules a retry. */
  wait(job: Waiting): void {
    this.#waiting.add(job)
  }

  /** Removes an event from the queue. */
  forget(event: number): void {
    this.#waiting.remove((job) => job.event === event)
    const at = this.#fresh.indexOf(event, this.#head)
    if (at !== -1) this.#fresh.splice(at, 1)
  }

  /** Takes the next delivery that may be attempted; retries go first. */
  take(now: number): Job | undefined {
    const [retry, event] = [this.#waiting.first, this.#fresh[this.#head]]
    if (retry !== undefined && retry.due <= now) return this.#waiting.take()
    if (event === undefined) return undefined
    this.#head++
    if (this.#head > 1000 && this.#head * 2 > this.#fresh.length) {
      this.#fresh = this.#fresh.slice(this.#head)
      this.#head = 0
    }
    return { event, tries: 0 }
  }

  clear(): void {
    this.#fresh = []
    this.#head = 0
    this.#waiting.replaceAll([])
  }
}
