import { Queue } from './queue.ts'

/** Attempts under way at one receiver, each of its own: so that one that is slow keeps nobody else waiting. */
const CONCURRENCY = 8
/** From so many failures in a row on, a receiver is tried with one message at a time, and rests before the next. */
const TROUBLED = 3
const FIRST_REST_MS = 1000

/** One receiver: what it has yet to be told, and how it is doing. */
export class Endpoint {
  readonly id: number
  readonly queue = new Queue()
  /** Events under way, those that were begun before it was forgotten too. */
  readonly running = new Set<number>()
  /** How many attempts failed in a row. */
  failures = 0
  /** Because it fails, nothing is sent before this moment. */
  #restsUntil = 0
  /** It asked to be left alone until this moment, which an attempt from before that ends well does not change. */
  #asked = 0
  /** Calls off what is to be done later. */
  callOff: (() => void) | undefined
  /** False for one that is forgotten, and stays until nothing of it is under way. */
  isWanted = true
  /** How often it was begun anew: what began before says nothing of how it is now. */
  generation = 0
  /** What is pending is being read; nothing is begun meanwhile, so that nothing is begun twice. */
  #loading: Promise<void> | undefined

  constructor(id: number) {
    this.id = id
  }

  /** True when another attempt may be made at this moment. */
  isFree(now: number): boolean {
    return this.#isOpen && this.#wakes <= now
  }

  /** When to look again for something to do; undefined when whatever ends will do so, or there is nothing. */
  nextLook(now: number): number | undefined {
    if (!this.#isOpen || this.queue.size === 0) return undefined
    return this.#wakes > now ? this.#wakes : Math.max(now, this.queue.nextDue ?? now)
  }

  /** True when it has failed several times in a row. */
  get isTroubled(): boolean {
    return this.failures >= TROUBLED
  }

  /** True when nobody needs it any more. */
  get isOver(): boolean {
    return !this.isWanted && this.running.size === 0 && this.#loading === undefined
  }

  /** Does the work of reading what is pending, after any such work that is being done. */
  async load(work: () => Promise<void>): Promise<void> {
    const mine = (this.#loading ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => {})
    this.#loading = settled
    try {
      await mine
    } finally {
      if (this.#loading === settled) this.#loading = undefined
    }
  }

  /** Has it taken for sound, whatever was before. */
  beginAnew(): void {
    this.isWanted = true
    this.generation++
    this.succeed()
    this.wake()
  }

  /** Notes that it took a message. */
  succeed(): void {
    this.failures = 0
    this.#restsUntil = 0
  }

  /** Notes that it failed. @param longest that it rests because of that, in milliseconds */
  fail(now: number, longest: number): void {
    this.failures++
    if (!this.isTroubled) return
    const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(this.failures - TROUBLED, 20), longest)
    this.#restsUntil = Math.max(this.#restsUntil, now + rest)
  }

  /** Notes that it asked to be left alone until that moment. */
  rest(until: number): void {
    this.#asked = Math.max(this.#asked, until)
  }

  /** Has it rest no longer. */
  wake(): void {
    this.#restsUntil = 0
    this.#asked = 0
  }

  /** Nothing is sent before this moment. */
  get #wakes(): number {
    return Math.max(this.#restsUntil, this.#asked)
  }

  get #isOpen(): boolean {
    return this.isWanted && this.#loading === undefined && this.running.size < (this.isTroubled ? 1 : CONCURRENCY)
  }
}
