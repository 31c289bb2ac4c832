import type { Log } from '../log/log.ts'
import type { ChangeLog } from '../store/changes.ts'
import type { Timer } from '../util/clock.ts'
import type { ChangeFeed } from './change-feed.ts'

/** The log is read after this time at the latest, in milliseconds. */
const READ_MS = 1000
/** Least time between two reads, in milliseconds. */
const READ_GAP_MS = 50
/** The log is read on for this time after the last subscriber has gone, for those that return. In milliseconds. */
const LINGER_MS = 300_000

/** Dependencies of shared changes. */
export interface SharedChangesParts {
  readonly feed: ChangeFeed
  readonly changeLog: ChangeLog
  /** True while there are subscribers. */
  readonly isUsed: () => boolean
  readonly timer: Timer
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
  readonly log: Log
}

/**
 * Adds the changes of other processes to the feed while there are subscribers. The log tells of each change once, so no subscriber is told of
 * one twice.
 */
export class SharedChanges {
  readonly #parts: SharedChangesParts
  /** Resolves when the changes of others are followed; undefined while they are not. */
  #following: Promise<void> | undefined
  #position = ''
  #usedAt = 0
  #readAt = 0
  /** True if another process has written since the last read began. */
  #hasHeard = false
  /** True between two reads. */
  #isWaiting = false
  #isClosed = false
  #hasFailed = false
  #cancelTimer = () => {}
  #stopListening = () => {}

  constructor(parts: SharedChangesParts) {
    this.#parts = parts
  }

  /**
   * Resolves when all later changes of other processes will be added. The first time takes as long as the others need to notice it.
   *
   * @throws {AppError} STORE_UNAVAILABLE
   */
  follow(): Promise<void> {
    this.#usedAt = this.#parts.now()
    this.#following ??= this.#begin().catch((error: unknown) => {
      this.#following = undefined
      throw error
    })
    return this.#following
  }

  /** Ends the reading. */
  close(): void {
    this.#isClosed = true
    this.#end()
  }

  async #begin(): Promise<void> {
    const { changeLog, feed, timer } = this.#parts
    await changeLog.announce()
    await new Promise<void>((resolve) => timer(changeLog.noticeMs, resolve))
    this.#position = await changeLog.end()
    // Others may have changed records since a former subscriber has gone.
    feed.forget()
    this.#stopListening()
    if (!this.#isClosed) this.#stopListening = changeLog.listen(() => this.#hear())
    this.#schedule()
  }

  /** Reads soon. */
  #hear(): void {
    this.#hasHeard = true
    if (!this.#isWaiting) return
    this.#cancelTimer()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isClosed) return
    const wait = this.#hasHeard ? Math.max(0, this.#readAt + READ_GAP_MS - this.#parts.now()) : READ_MS
    this.#isWaiting = true
    this.#cancelTimer = this.#parts.timer(wait, () => void this.#read())
  }

  async #read(): Promise<void> {
    const { isUsed, now, log } = this.#parts
    this.#isWaiting = false
    this.#hasHeard = false
    this.#readAt = now()
    if (isUsed()) this.#usedAt = now()
    else if (now() - this.#usedAt > LINGER_MS) {
      this.#end()
      return
    }
    try {
      if (!(await this.#readOnce())) {
        await this.#begin()
        return
      }
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed && !this.#isClosed)
        log.error('The changes of other processes could not be read; this is tried again', { error })
      this.#hasFailed = true
    }
    this.#schedule()
  }

  /** @returns false if changes may be missing */
  async #readOnce(): Promise<boolean> {
    const { changeLog, feed } = this.#parts
    const read = await changeLog.read(this.#position)
    if (read === undefined) return false
    this.#position = read.position
    for (const { at, changes } of read.transactions) {
      if (changes === undefined) feed.forget()
      else feed.addOthers(changes, at)
    }
    return true
  }

  #end(): void {
    this.#cancelTimer()
    this.#stopListening()
    if (this.#following === undefined) return
    this.#following = undefined
    // Otherwise the announcement ends by itself.
    void this.#parts.changeLog.withdraw().catch(() => {})
  }
}
