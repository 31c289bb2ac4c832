import { Heap } from '../util/heap.ts'

/** Something to be delivered to one endpoint: an event, and how many attempts have failed already. */
export interface Job {
  readonly event: number
  readonly tries: number
}

/** A job that is not to be done before some moment. */
export interface Waiting extends Job {
  /** Milliseconds since the Unix epoch. */
  readonly due: number
}

/**
 * What is to be delivered to one endpoint: what waits for its time, and what is ready, oldest first. Of an event that was not tried
 * yet no more is kept than its id: behind a receiver that is dead there may be very many.
 */
export class Queue {
  #fresh: number[] = []
  /** The first that is still there; what was taken is cut off now and then. */
  #head = 0
  /** Those to be tried again: what is due sooner goes first, and what was committed earlier. */
  readonly #waiting = new Heap<Waiting>((a, b) => a.due - b.due || a.event - b.event)
  /** Events up to this one came with a load, whatever else is said of them. */
  #loaded = 0

  /** How many there are. */
  get size(): number {
    return this.#fresh.length - this.#head + this.#waiting.size
  }

  /** When the next may be done: 0 for one that was not tried yet; undefined when there is none. */
  get nextDue(): number | undefined {
    return this.#head < this.#fresh.length ? 0 : this.#waiting.first?.due
  }

  /** Takes an event that was just committed. */
  add(event: number): void {
    if (event > this.#loaded) this.#fresh.push(event)
  }

  /**
   * Takes everything that was pending, and has beside it what came or failed while that was read.
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

  /** Has a job wait. */
  wait(job: Waiting): void {
    this.#waiting.add(job)
  }

  /** Forgets that an event is to be delivered, for the first time or again. */
  forget(event: number): void {
    this.#waiting.remove((job) => job.event === event)
    const at = this.#fresh.indexOf(event, this.#head)
    if (at !== -1) this.#fresh.splice(at, 1)
  }

  /** The next job that may be done; what was tried before goes first. */
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
