import type { FieldFilter, Filter } from '../query/plan.ts'
import type { DueRow } from '../queue/lane.ts'
import type { QueueTable, TakenRows } from '../queue/queue-work.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { JsonObject } from '../util/json.ts'
import { JOBS } from './job-models.ts'
import { waitingKeyOf } from './job-queue.ts'
import { withoutText } from './mail-job.ts'
import type { ProjectJob, ProjectJobs } from './parse-jobs.ts'

/** Duration of a lease, in milliseconds. */
export const LEASE_MS = 30_000
/** The first delay after a failed attempt, in milliseconds; each further one is four times as long. */
const FIRST_DELAY_MS = 10_000
/** Part of a delay by which it is shorter or longer. */
const JITTER = 0.2
/** Number of lost leases after which a job counts as failed: it may be what ends the processes. */
const MAX_LOST = 20
/** Operations of a transaction. */
const BATCH = 500
/** Maximum length of a stored error. */
const MAX_ERROR = 2_000

/** A job that this process has the lease of. */
export interface TakenJob extends DueRow {
  readonly job: ProjectJob
  readonly record: StoredRecord
}

/** The result of an attempt. */
export interface JobResult {
  readonly taken: TakenJob
  /** Undefined if the attempt has succeeded. */
  readonly error: string | undefined
  /** True if another attempt would fail, too. */
  readonly isFinal: boolean
}

export interface JobTableParts {
  readonly jobs: ProjectJobs
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  /** The clock by which all processes agree. */
  readonly clock: Clock
  readonly random: Random
  /** Maximum number of jobs that run in this process at once. */
  readonly concurrency: number
}

/** The jobs in the store. A process takes one by a lease; what it stores afterwards is void if another process has taken the job since. */
export class JobTable implements QueueTable<TakenJob, JobResult> {
  readonly #parts: JobTableParts

  constructor(parts: JobTableParts) {
    this.#parts = parts
  }

  async hasDue(): Promise<boolean> {
    return (await this.#due(new Set(), new Set(), 1)).length > 0
  }

  /** Takes jobs that are due: those that wait, and those whose lease has ended. */
  async take(_lane: number, limit: number, inProgress: ReadonlyMap<number, string>): Promise<TakenRows<TakenJob>> {
    const room = Math.min(limit, this.#parts.concurrency - inProgress.size)
    if (room <= 0) return { rows: [], hasMore: true }
    const rows: TakenJob[] = []
    const tried = new Set(inProgress.keys())
    /** Names of jobs that run as often as they may. */
    const full = new Set<string>()
    for (let isLast = false; !isLast && rows.length < room; ) {
      const found = await this.#due(full, tried, room - rows.length)
      isLast = found.length < room - rows.length
      for (const record of found) {
        tried.add(record.id)
        // A lost job has its slot.
        const isRefused = full.has(String(record.name)) && typeof record.slot !== 'string'
        const taken = isRefused ? 'full' : await this.#take(record)
        if (taken === 'full') full.add(String(record.name))
        else if (taken !== undefined) rows.push(taken)
      }
    }
    // A job in progress may be due again before this process knows that its result is stored.
    return { rows, hasMore: rows.length === room || inProgress.size > 0 }
  }

  /** Stores the result of an attempt: the job is over, or waits for its next attempt. A mail that was sent loses its text. */
  async store({ taken, error, isFinal }: JobResult): Promise<void> {
    const { job, record } = taken
    const now = this.#parts.clock()
    const isOver = { ...OVER, finished_at: isoTime(now) }
    if (error === undefined) {
      await this.#update(taken, { ...isOver, status: 'done', error: null, input: withoutText(record) })
      return
    }
    const failures = Number(record.failures) + 1
    const values = { failures, error: error.slice(0, MAX_ERROR) }
    if (isFinal || failures >= job.attempts) {
      await this.#update(taken, { ...isOver, ...values, status: 'failed' })
      return
    }
    const fraction = this.#parts.random(4).readUInt32BE() / 2 ** 32
    const delay = FIRST_DELAY_MS * 4 ** (failures - 1) * (1 - JITTER + 2 * JITTER * fraction)
    await this.#wait(taken, { ...values, due_at: isoTime(now + delay) })
  }

  /** Gives a job back whose attempt was ended: it is due at once. */
  giveBack(taken: TakenJob): Promise<void> {
    return this.#wait(taken, { due_at: isoTime(this.#parts.clock()) })
  }

  /** Extends the lease of a job. @returns false if another process has taken it */
  renew(taken: TakenJob): Promise<boolean> {
    return this.#update(taken, { due_at: isoTime(this.#parts.clock() + LEASE_MS) })
  }

  /** Ends the leases of all jobs, so that they are due at once. For a process that alone works on the store, whose predecessor may have been killed. */
  async endLeases(): Promise<void> {
    for (;;) {
      const filters: FieldFilter[] = [
        { field: 'status', operator: 'eq', value: 'running' },
        { field: 'due_at', operator: 'gt', value: isoTime(this.#parts.clock()) },
      ]
      const held = await this.#find(filters, BATCH)
      const values = { due_at: isoTime(this.#parts.clock()) }
      const operations = held.map(({ id }): Operation => ({ kind: 'update', table: JOBS, id, values }))
      if (operations.length > 0) await this.#parts.records.commitInternal(operations)
      if (held.length < BATCH) return
    }
  }

  /** It has its key again, unless another one with the key waits. */
  async #wait(taken: TakenJob, values: JsonObject): Promise<void> {
    const { name, key } = taken.record
    const waiting = { ...values, status: 'waiting', slot: null }
    const isStored =
      typeof key === 'string' && (await this.#update(taken, { ...waiting, waiting_key: waitingKeyOf(String(name), key) }))
    if (!isStored) await this.#update(taken, waiting)
  }

  async #update({ record: { id, holder } }: TakenJob, values: JsonObject): Promise<boolean> {
    const allowed: Filter = { field: 'holder', operator: 'eq', value: holder ?? null }
    return (await this.#parts.records.commitInternal([{ kind: 'update', table: JOBS, id, values, allowed }])).ok
  }

  /** @returns undefined if another process was faster, `full` if as many jobs of the name run as may */
  async #take(record: StoredRecord): Promise<TakenJob | 'full' | undefined> {
    const { jobs, records, clock, random } = this.#parts
    const job = jobs.get(String(record.name))
    if (job === undefined) return undefined
    const now = clock()
    const commit = (values: JsonObject) =>
      records.commitInternal([{ kind: 'update', table: JOBS, id: record.id, values, expect: record }])
    const lost = Number(record.lost) + (record.status === 'running' ? 1 : 0)
    if (lost >= MAX_LOST) {
      const error = `${lost} processes ended while the job ran, or lost their lease`
      await commit({ ...OVER, lost, status: 'failed', error, finished_at: isoTime(now) })
      return undefined
    }
    const slot = record.slot ?? (job.concurrency === undefined ? null : await this.#freeSlot(job.name, job.concurrency))
    if (slot === undefined) return 'full'
    const attempt = Number(record.attempt) + 1
    const holder = uniqueId(random)
    const outcome = await commit({
      ...{ status: 'running', due_at: isoTime(now + LEASE_MS), started_at: isoTime(now), finished_at: null },
      ...{ attempt, lost, slot, holder, waiting_key: null },
    })
    const [taken] = outcome.ok ? outcome.records : []
    if (taken !== undefined) return { id: record.id, key: String(record.id), job, record: taken }
    return !outcome.ok && outcome.violations.some(({ kind }) => kind === 'unique') ? 'full' : undefined
  }

  /** A slot that no job has; undefined if there is none. */
  async #freeSlot(name: string, concurrency: number): Promise<string | undefined> {
    const slots = Array.from({ length: concurrency }, (_, index) => `${name} ${index}`)
    const taken = await this.#find([{ field: 'slot', operator: 'in', values: slots }], concurrency)
    const used = new Set(taken.map(({ slot }) => slot))
    return slots.find((slot) => !used.has(slot))
  }

  #due(full: ReadonlySet<string>, tried: ReadonlySet<number>, limit: number): Promise<readonly StoredRecord[]> {
    const { jobs, clock } = this.#parts
    const named = (names: readonly string[]): Filter => ({ field: 'name', operator: 'in', values: names })
    // Of the others the lost ones, which have a slot.
    const isLost: Filter = { field: 'slot', operator: 'isnull', value: false }
    const mayRun = named([...jobs.keys()].filter((name) => !full.has(name)))
    const isAllowed: Filter = full.size === 0 ? mayRun : { any: [mayRun, { all: [named([...full]), isLost] }] }
    const isDue: FieldFilter = { field: 'due_at', operator: 'lte', value: isoTime(clock()) }
    const isNew: Filter[] = tried.size === 0 ? [] : [{ not: { field: 'id', operator: 'in', values: [...tried] } }]
    return this.#find([isAllowed, isDue, ...isNew], limit)
  }

  async #find(filters: readonly Filter[], limit: number): Promise<readonly StoredRecord[]> {
    const plan = { filters, sort: [{ field: 'due_at', order: 'asc' }] as const, offset: 0, limit }
    return (await this.#parts.store.find(JOBS, plan, { withoutTotal: true })).records
  }
}

/** What a job that is over has no more. */
const OVER = { due_at: null, slot: null, waiting_key: null } as const
