import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, SHELL, superusersOnly } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { MailTransport } from '../mail/mail.ts'
import { datetime } from '../model/fields/temporal.ts'
import { type Filter, type PageRequest, sliceOf } from '../query/plan.ts'
import { QueueWorker } from '../queue/queue-worker.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { isoTime, type Timer } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import { isObject, type Json } from '../util/json.ts'
import { PeriodicTask } from '../util/periodic-task.ts'
import { didYouMean } from '../util/suggest.ts'
import type { Caller, ServiceParts } from './context.ts'
import { JOBS } from './job-models.ts'
import { type JobQueue, waitingKeyOf } from './job-queue.ts'
import { JobSchedules } from './job-schedules.ts'
import { type JobResult, JobTable, type TakenJob } from './job-table.ts'
import { JobWork } from './job-work.ts'
import { MAIL_JOB, withoutText } from './mail-job.ts'
import type { ProjectJobs } from './parse-jobs.ts'

/** Interval of deleting jobs that are over, in milliseconds. */
const PRUNE_MS = 600_000
/** Operations of a transaction. */
const BATCH = 500

export interface JobsParts extends ServiceParts {
  readonly access: AccessRules
  readonly jobs: ProjectJobs
  readonly queue: JobQueue
  readonly store: Store
  readonly records: Records
  readonly timer: Timer
  readonly random: Random
  /** Whether other processes may work on the store. */
  readonly isShared: boolean
  /** Sends the mails of the job of the server. */
  readonly mails: MailTransport | undefined
  /** The setting `jobs`. */
  readonly settings: { readonly run: boolean; readonly concurrency: number; readonly keep_days: number }
}

/** A selection of the list of jobs. */
export interface JobSelection {
  readonly status?: string | undefined
  readonly name?: string | undefined
  /** True for jobs whose names the project has, false for the others, which are not run. */
  readonly known?: boolean | undefined
}

/** The jobs of a project: runs those that are due, and what superusers do with them. */
export class Jobs {
  readonly #parts: JobsParts
  readonly #table: JobTable
  readonly #worker: QueueWorker<TakenJob, JobResult>
  readonly #schedules: JobSchedules
  readonly #pruning: PeriodicTask

  constructor(parts: JobsParts) {
    const { jobs, queue, store, clock, timer, log, settings } = parts
    const { concurrency } = settings
    this.#parts = parts
    const table = new JobTable({ ...parts, concurrency })
    this.#table = table
    const work = new JobWork({ ...parts, table, concurrency })
    this.#worker = new QueueWorker({ table, work, clock, timer, now: () => performance.now(), log, leases: undefined })
    this.#schedules = new JobSchedules({
      ...parts,
      jobs: [...jobs.values()].flatMap(({ name, schedule }) =>
        schedule === undefined ? [] : [{ name, schedule, row: () => queue.prepare(name, {}, {}, OF_SCHEDULE) }],
      ),
    })
    this.#pruning = new PeriodicTask(() => this.#prune(), {
      timer,
      intervalMs: PRUNE_MS,
      onError: (error) => log.error('Jobs that are over could not be deleted', { error }),
    })
    store.onChange((changes) => {
      if (changes.some(({ table, after }) => table === JOBS && after?.status === 'waiting')) this.#worker.hint([0])
    })
  }

  /** Begins the work of a server. */
  async begin(): Promise<void> {
    const { jobs, settings } = this.#parts
    if (jobs.size === 0 || !settings.run) return
    await this.#pruning.start()
    await this.#schedules.start()
    await this.startWorker()
  }

  /** Runs the jobs that are due, until `stop`. Those that a killed process has left are due at once if it worked on the store alone. */
  async startWorker(): Promise<void> {
    if (!this.#parts.isShared) await this.#table.endLeases()
    await this.#worker.start()
  }

  async stop(): Promise<void> {
    this.#pruning.stop()
    await this.#schedules.stop()
    await this.#worker.stop()
  }

  /** True if the project has jobs of a name, or has had them and some are left. */
  async has(name: string): Promise<boolean> {
    if (this.#parts.jobs.has(name)) return true
    const plan = { filters: [{ field: 'name', operator: 'eq', value: name } as const], sort: [], offset: 0, limit: 1 }
    return (await this.#parts.store.find(JOBS, plan, { withoutTotal: true })).records.length > 0
  }

  /** A page of the jobs, latest first. */
  async list(
    actor: Actor,
    page: PageRequest,
    { status, name, known }: JobSelection,
  ): Promise<{ readonly data: readonly object[]; readonly total: number }> {
    superusersOnly(actor)
    const filters: Filter[] = []
    if (status !== undefined) filters.push({ field: 'status', operator: 'eq', value: status })
    if (name !== undefined) filters.push({ field: 'name', operator: 'eq', value: name })
    const ofProject: Filter = { field: 'name', operator: 'in', values: [...this.#parts.jobs.keys()] }
    if (known !== undefined) filters.push(known ? ofProject : { not: ofProject })
    const plan = { filters, sort: [{ field: 'id', order: 'desc' }] as const, ...sliceOf(page) }
    const { records, total } = await this.#parts.store.find(JOBS, plan)
    return { data: records.map(presented), total }
  }

  /**
   * Makes a job due at once that has failed, is done, or waits.
   *
   * @throws {AppError} RECORD_NOT_FOUND; WRITE_CONFLICT for a job that runs, a mail that was sent, one that the project has no more, and while
   *   another with its key waits
   */
  async retry(actor: Actor, id: number): Promise<object> {
    superusersOnly(actor)
    const { jobs, store, records, clock } = this.#parts
    const [record] = await store.get(JOBS, [id])
    if (record === undefined) throw new AppError('RECORD_NOT_FOUND', `There is no job ${id}`)
    if (record.status === 'running') throw new AppError('WRITE_CONFLICT', `Job ${id} is running`)
    const { name, key, status } = record
    if (!jobs.has(String(name))) throw new AppError('WRITE_CONFLICT', `Job ${id} is a '${name}', which the project has no more`)
    if (name === MAIL_JOB && status === 'done') throw new AppError('WRITE_CONFLICT', `Mail ${id} was sent; its text is gone`)
    // A job that waits has its key, unless another with it waited when it was given back.
    const waiting_key =
      status === 'waiting' || typeof key !== 'string' ? (record.waiting_key ?? null) : waitingKeyOf(String(name), key)
    const values = { status: 'waiting', due_at: isoTime(clock()), failures: 0, lost: 0, finished_at: null, waiting_key }
    const outcome = await records.commitInternal([{ kind: 'update', table: JOBS, id, values, expect: record }])
    if (!outcome.ok && outcome.violations.some(({ kind }) => kind === 'unique')) {
      throw new AppError('WRITE_CONFLICT', `Another job '${name}' with the key '${key}' waits`)
    }
    const [stored] = outcome.ok ? outcome.records : []
    if (stored === undefined) throw new AppError('WRITE_CONFLICT', `Job ${id} has just begun or was deleted`)
    return presented(stored)
  }

  /**
   * Stores a job that is due at once.
   *
   * @param body `{input, key, run_at}`, each of which may be absent
   * @throws {AppError} RECORD_NOT_FOUND, INVALID_REQUEST, VALIDATION_FAILED with the errors of the input
   */
  async run(actor: Actor, name: string, body: unknown, requestId: string | undefined): Promise<object> {
    superusersOnly(actor)
    const { jobs, queue } = this.#parts
    if (!jobs.has(name)) {
      throw new AppError('RECORD_NOT_FOUND', `There is no job '${name}'${didYouMean(name, jobs.keys())}`)
    }
    const { input, ...options } = readRun(body)
    const caller: Caller = { actor, via: 'api', requestId, chain: [] }
    if (name !== MAIL_JOB) return presented(await queue.add(queue.prepare(name, input, options, caller)))
    if (Object.keys(options).length > 0) throw new AppError('INVALID_REQUEST', 'A mail has an input only, without key and run_at')
    return presented(await queue.add(queue.prepareMail(input, caller)))
  }

  /** Deletes jobs that were over some days ago. The last occurrence of each schedule is kept, since what was missed is counted from it. */
  async #prune(): Promise<void> {
    const { store, records, clock, settings } = this.#parts
    const before = isoTime(clock() - settings.keep_days * 86_400_000)
    const filters = [
      { field: 'finished_at', operator: 'lt', value: before },
      { field: 'due_at', operator: 'isnull', value: true },
    ] as const
    const latest = await this.#schedules.lastIds()
    for (let last = 0; ; ) {
      const plan = {
        filters: [...filters, { field: 'id', operator: 'gt', value: last } as const],
        sort: [],
        offset: 0,
        limit: BATCH,
      }
      const { records: found } = await store.find(JOBS, plan, { withoutTotal: true })
      const removals = found
        .filter(({ id }) => !latest.has(id))
        .map((record): Operation => ({ kind: 'remove', table: JOBS, id: record.id, expect: record }))
      // A job that is repeated meanwhile is kept until the next time.
      if (removals.length > 0) await records.commitInternal(removals)
      if (found.length < BATCH) return
      last = found.at(-1)?.id ?? last
    }
  }
}

const OF_SCHEDULE: Caller = { actor: SHELL, via: 'job', requestId: undefined, chain: [] }

/** A job as the API returns it. */
function presented(record: StoredRecord): object {
  const { id, name, status, key, attempt, due_at, error, enqueued_at, started_at, finished_at } = record
  const run_at = status === 'waiting' ? due_at : null
  const times = { enqueued_at, run_at: run_at ?? null, started_at: started_at ?? null, finished_at: finished_at ?? null }
  return { id, name, status, input: withoutText(record), key: key ?? null, attempt, error: error ?? null, ...times }
}

/** @throws {AppError} INVALID_REQUEST */
function readRun(body: unknown): { readonly input: object; readonly key?: string; readonly run_at?: Date } {
  const wrong = (message: string) => new AppError('INVALID_REQUEST', message)
  if (body === null || body === undefined) return { input: {} }
  if (!isObject(body)) throw wrong('The body must be an object')
  const { input = {}, key, run_at: runAt, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined) throw wrong(`Unknown member '${other}'${didYouMean(other, ['input', 'key', 'run_at'])}`)
  if (!isObject(input)) throw wrong("'input' must be an object")
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > 255)) {
    throw wrong("'key' must be a text of 1 to 255 characters")
  }
  const at = runAt === undefined ? undefined : datetime.read(runAt as Json)
  if (at?.ok === false) throw wrong("'run_at' must be a time such as 2026-01-31T06:00:00Z")
  return { input, ...(key === undefined ? {} : { key }), ...(at === undefined ? {} : { run_at: new Date(String(at.value)) }) }
}
