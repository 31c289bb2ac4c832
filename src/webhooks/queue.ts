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
  /** Those to be tried again, soonest first. */
  readonly #waiting: Waiting[] = []
  /** Events up to this one came with a load, whatever else is said of them. */
  #loaded = 0

  /** How many there are. */
  get size(): number {
    return this.#fresh.length - this.#head + this.#waiting.length
  }

  /** When the first of those that wait is due. */
  get nextDue(): number | undefined {
    return this.#waiting[0]?.due
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
    const failed = this.#waiting.filter(({ event }) => !known.has(event))
    this.clear()
    this.#loaded = last
    this.#waiting.push(...failed)
    for (const job of waiting) {
      if (job.tries === 0 && job.due === 0) this.#fresh.push(job.event)
      else this.wait(job)
    }
    for (const event of later) this.#fresh.push(event)
  }

  /** Has a job wait. */
  wait(job: Waiting): void {
    let place = this.#waiting.length
    while (place > 0 && (this.#waiting[place - 1]?.due ?? 0) > job.due) place--
    this.#waiting.splice(place, 0, job)
  }

  /** Forgets that an event waits to be tried again. */
  forget(event: number): void {
    const place = this.#waiting.findIndex((job) => job.event === event)
    if (place !== -1) this.#waiting.splice(place, 1)
  }

  /** The next job that may be done; what was tried before goes first. */
  take(now: number): Job | undefined {
    if ((this.nextDue ?? Number.POSITIVE_INFINITY) <= now) return this.#waiting.shift()
    const event = this.#fresh[this.#head]
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
    this.#waiting.length = 0
  }
}
