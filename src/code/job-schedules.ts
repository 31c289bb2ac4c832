import type { Cron } from 'croner'
import type { Log } from '../log/log.ts'
import type { Records } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime, type Timer } from '../util/clock.ts'
import { JOBS } from './job-models.ts'
import type { NewJob } from './job-queue.ts'

/** Occurrences that are missed by less are all stored, in milliseconds; otherwise the latest only. */
const LATE_MS = 10_000
/** The clock is read at least so often, since it may be set. In milliseconds. */
const LONGEST_WAIT_MS = 1000
/** Pause after an occurrence could not be stored, in milliseconds. */
const PAUSE_MS = 1000

/** A job with a schedule. */
export interface ScheduledJob {
  readonly name: string
  readonly schedule: Cron
  /** The row of an occurrence. */
  readonly row: () => NewJob
}

export interface JobScheduleParts {
  readonly jobs: readonly ScheduledJob[]
  readonly store: Store
  readonly records: Pick<Records, 'commitInternal'>
  /** The clock by which all processes agree. */
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Log
}

/** Stores a job at each occurrence of its schedule. All processes try to; the occurrence is unique, so that one succeeds. */
export class JobSchedules {
  readonly #parts: JobScheduleParts
  /** The time of the last occurrence that is stored, by job. */
  readonly #last = new Map<string, number>()
  #isStopped = false
  #cancel = () => {}
  #check: Promise<void> = Promise.resolve()

  constructor(parts: JobScheduleParts) {
    this.#parts = parts
  }

  /** Begins with what was missed since the last occurrence that is stored. A job that has never run has missed nothing. */
  async start(): Promise<void> {
    for (const { name } of this.#parts.jobs) this.#last.set(name, (await this.#lastOf(name)) ?? this.#parts.clock())
    if (this.#parts.jobs.length > 0) this.#begin()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#check
  }

  #begin(): void {
    this.#check = this.#storeDue()
      .then(() => this.#untilNext())
      .catch((error: unknown) => {
        this.#parts.log.error('A scheduled job could not be stored; this is tried again', { error })
        return PAUSE_MS
      })
      .then((wait) => {
        if (!this.#isStopped) this.#cancel = this.#parts.timer(wait, () => this.#begin())
      })
  }

  #untilNext(): number {
    const now = this.#parts.clock()
    const next = this.#parts.jobs.map(
      ({ schedule }) => (schedule.nextRun(new Date(now))?.getTime() ?? Number.POSITIVE_INFINITY) - now,
    )
    return Math.max(1, Math.min(LONGEST_WAIT_MS, ...next))
  }

  async #storeDue(): Promise<void> {
    const { jobs, clock, records } = this.#parts
    for (const { name, schedule, row } of jobs) {
      for (const at of dueOccurrences(schedule, this.#last.get(name) ?? clock(), clock())) {
        const values = { ...row(), occurrence: occurrenceOf(name, at) }
        const outcome = await records.commitInternal([{ kind: 'insert', table: JOBS, values }])
        // Another process may have stored it.
        if (!outcome.ok && outcome.violations.some(({ kind }) => kind !== 'unique')) {
          throw new Error(`The job '${name}' was refused: ${JSON.stringify(outcome.violations)}`)
        }
        this.#last.set(name, at)
      }
    }
  }

  /** The ids of the last occurrences that are stored. */
  async lastIds(): Promise<ReadonlySet<number>> {
    const latest = await Promise.all(this.#parts.jobs.map(({ name }) => this.#lastRowOf(name)))
    return new Set(latest.flatMap((record) => record?.id ?? []))
  }

  async #lastOf(name: string): Promise<number | undefined> {
    const latest = await this.#lastRowOf(name)
    return latest === undefined ? undefined : Date.parse(String(latest.occurrence).slice(name.length + 1))
  }

  async #lastRowOf(name: string): Promise<StoredRecord | undefined> {
    const filters = [
      { field: 'name', operator: 'eq', value: name },
      { field: 'occurrence', operator: 'isnull', value: false },
    ] as const
    const plan = { filters, sort: [{ field: 'occurrence', order: 'desc' }] as const, offset: 0, limit: 1 }
    return (await this.#parts.store.find(JOBS, plan, { withoutTotal: true })).records[0]
  }
}

const occurrenceOf = (name: string, at: number): string => `${name} ${isoTime(at)}`

/** The occurrences after a time until now: all of them if they are few seconds late, otherwise the latest. */
export function dueOccurrences(schedule: Cron, last: number, now: number): readonly number[] {
  const [latest] = schedule.previousRuns(1, new Date(now + 1))
  if (latest === undefined || latest.getTime() <= last) return []
  if (now - last > LATE_MS) return [latest.getTime()]
  const due: number[] = []
  for (let next = schedule.nextRun(new Date(last)); next !== null && next.getTime() <= now; next = schedule.nextRun(next)) {
    due.push(next.getTime())
  }
  return due
}
