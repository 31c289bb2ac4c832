import type { Log } from '../log/log.ts'
import type { ReceiverLeases } from '../store/changes.ts'
import type { Clock, Timer } from '../util/clock.ts'
import { type DueRow, Lane } from './lane.ts'
import type { QueueTable, QueueWork } from './queue-work.ts'

/** Interval at which the queue is read without a hint, in milliseconds. */
const POLL_MS = 250
/** Interval at which the lanes that other processes change are read, in milliseconds. */
const FOLLOW_MS = 1000
/** While a lane has due rows, its lease is extended after this time, in milliseconds. */
const EXTEND_MS = 2000
/** A lease that another process holds is asked for again after this time, in milliseconds. */
const ASK_AGAIN_MS = 1000
/** Time between the end of the longest attempt and that of the lease, in milliseconds. */
const MARGIN_MS = 1000
/** Pause before results that could not be stored are stored again, in milliseconds. */
const STORE_AGAIN_MS = 1000
/** Time that attempts in progress have to finish on stop, in milliseconds. */
const GRACE_MS = 2000

/** The parts that a worker is built from. */
export interface QueueWorkerParts<Row extends DueRow, Result> {
  readonly table: QueueTable<Row, Result>
  readonly work: QueueWork<Row, Result>
  readonly clock: Clock
  readonly timer: Timer
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
  readonly log: Log
  /** By these one process works on a lane; undefined for a store of one process. */
  readonly leases: ReceiverLeases | undefined
}

/**
 * Works on the rows of a queue that are due, at least once: a row stays in the queue until its result is stored. The queue is read after a hint and
 * each 250 ms. A slow or failing lane delays only its own rows.
 */
export class QueueWorker<Row extends DueRow, Result> {
  readonly #parts: QueueWorkerParts<Row, Result>
  readonly #lanes = new Map<number, Lane<Row>>()
  #followedAt = Number.NEGATIVE_INFINITY
  /** The reading of the queue that runs. */
  #round: Promise<number> | undefined
  #isWanted = false
  #hasFailed = false
  #state: 'new' | 'running' | 'stopped' = 'new'
  /** True once attempts in progress are aborted and their results ignored. */
  #isAborted = false
  /** Cancels the next reading without a hint; undefined if none is planned. */
  #cancelPoll: (() => void) | undefined
  /** Number of rows that are attempted or whose result is being stored. */
  #active = 0
  #idleCallbacks: (() => void)[] = []

  constructor(parts: QueueWorkerParts<Row, Result>) {
    this.#parts = parts
  }

  /** Reads the queue for the first time. Before that, and after a stop, hints have no effect. */
  async start(): Promise<void> {
    if (this.#state === 'new') this.#state = 'running'
    await this.#read()
  }

  /** Tells that rows may be due. */
  hint(lanes: Iterable<number>): void {
    let mayStart = false
    for (const id of lanes) {
      const lane = this.#laneOf(id)
      lane.mayHaveMore = true
      mayStart ||= lane.room(this.#parts.clock()) > 0
    }
    if (mayStart) this.#readSoon()
  }

  /** Works on a lane that was enabled or changed, without its earlier failures and pause. */
  resume(lane: number): void {
    this.#laneOf(lane).restart()
    this.hint([lane])
  }

  /** Works on a row that was made due again, also during a pause. */
  repeat(lane: number): void {
    this.#laneOf(lane).endPause()
    this.hint([lane])
  }

  /** Starts no more attempts of a lane that was disabled or deleted. Those in progress finish. */
  suspend(lane: number): void {
    this.#lanes.get(lane)?.giveBack()
  }

  /** Resolves when no attempt is in progress or due, and all results are stored. */
  async idle(): Promise<void> {
    do {
      while (this.#round !== undefined) await this.#round
      await this.#inactive()
    } while ((await this.#read()) > 0 || this.#round !== undefined || this.#active > 0)
  }

  /** Lets attempts in progress finish within the grace period. Rows without a result stay due. */
  async stop(): Promise<void> {
    const { work, timer, leases } = this.#parts
    this.#state = 'stopped'
    this.#cancelPoll?.()
    const cancelGrace = timer(GRACE_MS, () => {
      this.#isAborted = true
      work.abort()
    })
    await this.#round
    await this.#inactive()
    cancelGrace()
    const held = [...this.#lanes.values()].flatMap(({ id, lease }) => (lease?.isHeld ? [id] : []))
    this.#lanes.clear()
    // Otherwise the leases end by themselves.
    await leases?.release(held).catch(() => {})
  }

  async #inactive(): Promise<void> {
    while (this.#active > 0) await new Promise<void>((resolve) => this.#idleCallbacks.push(resolve))
  }

  #laneOf(id: number): Lane<Row> {
    const lane = this.#lanes.get(id) ?? new Lane<Row>(id, this.#parts.work.concurrency)
    this.#lanes.set(id, lane)
    return lane
  }

  #readSoon(): void {
    if (this.#round === undefined) void this.#readRound()
    else this.#isWanted = true
  }

  /** Reads the queue for all lanes, after the reading that runs. Returns the number of rows that it began. */
  async #read(): Promise<number> {
    while (this.#round !== undefined) await this.#round
    this.#considerAll()
    return this.#readRound()
  }

  #considerAll(): void {
    for (const lane of this.#lanes.values()) lane.mayHaveMore = true
  }

  /** Plans the next reading for all lanes. Readings after hints do not put it off: they are for some lanes only. */
  #planPoll(): void {
    this.#cancelPoll ??= this.#parts.timer(POLL_MS, () => {
      this.#cancelPoll = undefined
      this.#considerAll()
      this.#readSoon()
    })
  }

  /** Readings do not overlap. The next one follows at once if it is wanted. */
  #readRound(): Promise<number> {
    if (this.#state !== 'running') return Promise.resolve(0)
    this.#round ??= this.#runRound().finally(() => {
      this.#round = undefined
      if (this.#state !== 'running') return
      this.#planPoll()
      if (this.#isWanted && !this.#hasFailed) this.#readSoon()
      this.#isWanted = false
    })
    return this.#round
  }

  async #runRound(): Promise<number> {
    const { work, log } = this.#parts
    try {
      await this.#follow()
      const begun = await this.#takeAll()
      this.#hasFailed = false
      return begun
    } catch (error) {
      if (!this.#hasFailed) log.error(`The ${work.name} could not be read; this is tried again`, { error })
      this.#hasFailed = true
      return 0
    }
  }

  async #follow(): Promise<void> {
    const { work, now, leases } = this.#parts
    if (leases === undefined || now() - this.#followedAt < FOLLOW_MS) return
    this.#followedAt = now()
    await work.follow()
  }

  async #takeAll(): Promise<number> {
    const { work, table, clock, leases, now } = this.#parts
    const lanes: Lane<Row>[] = []
    const open = new Set<number>()
    for (const { id, target } of work.lanes()) {
      open.add(id)
      const lane = this.#laneOf(id)
      if (lane.target !== target && lane.target !== '') lane.restart()
      lane.target = target
      const isElsewhere = this.#isLeased(lane, false, ASK_AGAIN_MS)
      if (lane.mayHaveMore && lane.room(clock()) > 0 && !isElsewhere) lanes.push(lane)
    }
    for (const { id, taken } of this.#lanes.values()) if (taken.size === 0 && !open.has(id)) this.#lanes.delete(id)
    for (const lane of lanes) lane.mayHaveMore = false
    if (leases !== undefined && !lanes.every((lane) => this.#isLeased(lane, true, EXTEND_MS))) {
      const ids = lanes.map(({ id }) => id)
      if (!(await table.hasDue(ids))) return 0
      const askedAt = now()
      const held = await leases.claim(ids)
      for (const lane of lanes) lane.lease = { askedAt, isHeld: held.has(lane.id) }
    }
    const begun = await Promise.all(lanes.map((lane) => this.#take(lane)))
    return begun.reduce((sum, count) => sum + count, 0)
  }

  /** True if this process was told at most `age` milliseconds ago that it holds the lease, or that it does not. */
  #isLeased({ lease }: Lane<Row>, isHeld: boolean, age: number): boolean {
    return lease?.isHeld === isHeld && this.#parts.now() < lease.askedAt + age
  }

  /** True if an attempt of the lane may start now. It ends before the lease. */
  #mayStart(lane: Lane<Row>): boolean {
    const { leases, work } = this.#parts
    if (this.#state !== 'running') return false
    return leases === undefined || this.#isLeased(lane, true, leases.durationMs - work.attemptMs - MARGIN_MS)
  }

  async #take(lane: Lane<Row>): Promise<number> {
    const { table, clock } = this.#parts
    const room = lane.room(clock())
    if (!this.#mayStart(lane) || room === 0) return 0
    const { settled } = lane
    const { rows, hasMore } = await table.take(lane.id, room, lane.taken)
    lane.mayHaveMore ||= hasMore
    // What was held back by a row that is settled by now can be taken.
    this.#isWanted ||= hasMore && lane.settled !== settled
    for (const row of rows) lane.take(row)
    this.#startReady(lane)
    return rows.length
  }

  /** Starts attempts up to the limit of the lane. */
  #startReady(lane: Lane<Row>): void {
    while (this.#mayStart(lane) && lane.canStart(this.#parts.clock())) {
      const row = lane.ready.shift()
      if (row === undefined) break
      void this.#process(lane, row)
    }
    // During a pause nothing is kept: what is due afterwards is taken then.
    if (lane.attempts === 0) lane.giveBack()
  }

  async #process(lane: Lane<Row>, row: Row): Promise<void> {
    const { work } = this.#parts
    const { generation } = lane
    this.#active++
    try {
      const result = await this.#attempt(lane, row)
      if (result !== undefined && (await this.#store(result))) await work.stored(lane, result, lane.generation === generation)
    } catch (error) {
      work.failed(lane, error)
    }
    lane.settle(row)
    if (lane.mayHaveMore) this.hint([lane.id])
    this.#ended()
  }

  #ended(): void {
    this.#active--
    if (this.#active === 0) for (const resolve of this.#idleCallbacks.splice(0)) resolve()
  }

  async #attempt(lane: Lane<Row>, row: Row): Promise<Result | undefined> {
    lane.attempts++
    try {
      return await this.#parts.work.attempt(lane, row)
    } finally {
      lane.attempts--
      this.#startReady(lane)
    }
  }

  /**
   * Stores a result. While that fails it is tried again, and the row stays in progress, so that few further ones start.
   *
   * @returns false if the worker was stopped before
   */
  async #store(result: Result): Promise<boolean> {
    const { table, work, log, timer } = this.#parts
    for (;;) {
      if (this.#isAborted) return false
      try {
        await table.store(result)
        return true
      } catch (error) {
        log.error(`A result of the ${work.name} could not be stored`, { error })
      }
      this.#ended()
      if (this.#state === 'running') await new Promise<void>((resolve) => timer(STORE_AGAIN_MS, resolve))
      this.#active++
      if (this.#state !== 'running') return false
    }
  }
}
