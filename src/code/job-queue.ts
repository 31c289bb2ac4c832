import { type Actor, SHELL } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { jsonType } from '../model/fields/other.ts'
import { type DraftParts, draftNew } from '../records/drafts.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { isoTime } from '../util/clock.ts'
import { uniqueId } from '../util/ids.ts'
import { isObject, type JsonObject, MAX_JSON_DEPTH } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import type { Caller, JobEnqueuer } from './context.ts'
import type { EnqueueOptions } from './define.ts'
import { JOBS } from './job-models.ts'
import { MAIL_JOB } from './mail-job.ts'
import type { ProjectJob, ProjectJobs } from './parse-jobs.ts'
import { loop, MAX_LEVELS } from './running.ts'

/** Maximum nesting depth of a value of an input: the input is stored as JSON, one level around its values. */
const MAX_DEPTH = MAX_JSON_DEPTH - 1
/** Maximum length of a key. */
const MAX_KEY = 255
/** Maximum number of waiting jobs of one name that endpoints may store. */
const MAX_FROM_ENDPOINTS = 100_000
/** The year 10000, in milliseconds. */
const END_OF_TIMES = Date.UTC(10_000, 0)
/** Age from which the number of waiting jobs is counted again, in milliseconds. */
const COUNT_AGE_MS = 1000
/** Maximum number of attempts to store a job whose key begins or ceases to wait meanwhile. */
const MAX_ATTEMPTS = 100

/** Characters that would end a header field of a mail, and others that are not shown. */
const LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u

interface JobQueueParts {
  readonly jobs: ProjectJobs
  readonly store: Store
  readonly drafts: DraftParts
  readonly records: Pick<Records, 'commitInternal'>
}

/** A job to be stored: the values of its row. */
export type NewJob = JsonObject

/** Stores jobs: with the transaction of code, or at once. */
export class JobQueue implements JobEnqueuer {
  readonly #parts: JobQueueParts
  /** Numbers of waiting jobs by name, as they were counted, with those that were stored since. */
  readonly #counts = new Map<string, { readonly at: number; waiting: number }>()

  constructor(parts: JobQueueParts) {
    this.#parts = parts
  }

  /** @throws {AppError} VALIDATION_FAILED for faulty input, HOOK_LOOP; {Error} for an unknown job */
  prepare(job: unknown, input: unknown, options: EnqueueOptions, caller: Caller): NewJob {
    const { key, run_at: runAt } = options
    const known = this.#jobOf(job)
    const { name } = known
    if (!isObject(input)) throw new TypeError(`The input of the job '${name}' must be an object`)
    if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > MAX_KEY)) {
      throw new TypeError(`The key of a job is a text of 1 to ${MAX_KEY} characters`)
    }
    // Times are stored as texts that sort, which those of later years do not.
    if (runAt !== undefined && !(runAt instanceof Date && runAt.getTime() < END_OF_TIMES && runAt.getTime() >= 0)) {
      throw new TypeError('run_at must be a valid Date, from 1970 to 9999')
    }
    return this.#prepared(known, input as JsonObject, options, caller)
  }

  /**
   * A mail as a job of the server. Its key is the id of the mail, the same for each attempt to send it.
   *
   * @throws {AppError} VALIDATION_FAILED for a faulty mail, HOOK_LOOP; {Error} without the setting `mail`
   */
  prepareMail(message: unknown, caller: Caller): NewJob {
    const job = this.#parts.jobs.get(MAIL_JOB)
    if (job === undefined) {
      throw new Error(
        "Mail is not set up; add `mail: { from: 'Shop <no-reply@example.com>' }` to the settings, or set ADMIN_MAIL__FROM",
      )
    }
    if (!isObject(message)) throw new TypeError('A mail is an object of to, subject and text')
    const { subject } = message
    if (typeof subject === 'string' && LINE_BREAK.test(subject)) {
      throw new AppError('VALIDATION_FAILED', { subject: ['subject must be one line, without control characters'] })
    }
    return this.#prepared(job, message as JsonObject, { key: uniqueId(this.#parts.drafts.random) }, caller)
  }

  #prepared(
    { name, input: model }: ProjectJob,
    input: JsonObject,
    { key, run_at: runAt }: EnqueueOptions,
    caller: Caller,
  ): NewJob {
    if (caller.chain.length > MAX_LEVELS) throw loop(caller.chain)
    const { clock } = this.#parts.drafts
    const { values, issues } = draftNew(SHELL, model, undefined, input, this.#parts.drafts)
    for (const [field, value] of Object.entries(values)) {
      if (!jsonType.read({ [field]: value }).ok)
        issues.add(field, `${field} must not be nested more than ${MAX_DEPTH} levels deep`)
    }
    issues.throwIfAny()
    const now = isoTime(clock())
    return {
      ...{ name, input: values, key: key ?? null, waiting_key: key === undefined ? null : waitingKeyOf(name, key) },
      ...{ status: 'waiting', due_at: runAt === undefined ? now : isoTime(runAt.getTime()), attempt: 0, failures: 0, lost: 0 },
      ...{ ...ownerOf(caller.actor), request_id: caller.requestId ?? null, chain: [...caller.chain], enqueued_at: now },
    }
  }

  /**
   * The operations that store jobs, each key once. A job whose key waits is not stored: the transaction asserts that it still waits at its commit.
   *
   * @param isLimited true for the jobs of an endpoint
   * @throws {AppError} QUEUE_FULL
   */
  async operationsOf(jobs: readonly NewJob[], isLimited: boolean): Promise<readonly Operation[]> {
    for (const { name } of isLimited ? jobs : []) await this.#count(String(name))
    const keys = new Set(jobs.flatMap(({ waiting_key: key }) => (typeof key === 'string' ? [key] : [])))
    const waiting = await this.#waitingWith([...keys])
    const assertions = waiting.map((record): Operation => ({ kind: 'assert', table: JOBS, id: record.id, expect: record }))
    for (const { waiting_key: key } of waiting) keys.delete(String(key))
    const inserted = jobs.filter(({ waiting_key: key }) => typeof key !== 'string' || keys.delete(key))
    return [...inserted.map((values): Operation => ({ kind: 'insert', table: JOBS, values })), ...assertions]
  }

  /**
   * Stores a job at once.
   *
   * @throws {AppError} as `prepare`; QUEUE_FULL
   */
  async enqueue(job: unknown, input: unknown, options: EnqueueOptions, caller: Caller): Promise<void> {
    await this.add(this.prepare(job, input, options, caller), caller.via === 'endpoint')
  }

  /**
   * Stores a mail at once.
   *
   * @throws {AppError} as `prepareMail`; QUEUE_FULL
   */
  async mail(message: unknown, caller: Caller): Promise<void> {
    await this.add(this.prepareMail(message, caller), caller.via === 'endpoint')
  }

  /** @returns the stored row; that of the waiting job with the same key, if there is one */
  async add(job: NewJob, isLimited = false): Promise<StoredRecord> {
    const [record] = await this.addAll([job], isLimited)
    if (record === undefined) throw keysKeepChanging([job])
    return record
  }

  /** Stores jobs in one transaction. @returns as `add`, in no particular order */
  async addAll(jobs: readonly NewJob[], isLimited = false): Promise<readonly (StoredRecord | undefined)[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const operations = await this.operationsOf(jobs, isLimited && attempt === 0)
      const outcome = await this.#parts.records.commitInternal(operations)
      if (outcome.ok) return outcome.records
    }
    throw keysKeepChanging(jobs)
  }

  #jobOf(job: unknown): ProjectJob {
    const { jobs } = this.#parts
    const name = isObject(job) ? job.name : job
    // Mails are stored by `mail`.
    const known = typeof name === 'string' && name !== MAIL_JOB ? jobs.get(name) : undefined
    if (known !== undefined) return known
    throw new Error(`There is no job '${String(name)}' in jobs/${didYouMean(String(name), jobs.keys())}`)
  }

  async #waitingWith(keys: readonly string[]): Promise<readonly StoredRecord[]> {
    if (keys.length === 0) return []
    const filters = [{ field: 'waiting_key', operator: 'in', values: keys }] as const
    const plan = { filters, sort: [], offset: 0, limit: keys.length }
    return (await this.#parts.store.find(JOBS, plan, { withoutTotal: true })).records
  }

  /** Counts a job that an endpoint stores. @throws {AppError} QUEUE_FULL */
  async #count(name: string): Promise<void> {
    const { store, drafts } = this.#parts
    let count = this.#counts.get(name)
    if (count === undefined || Math.abs(drafts.clock() - count.at) > COUNT_AGE_MS) {
      const filters = [
        { field: 'name', operator: 'eq', value: name },
        { field: 'status', operator: 'eq', value: 'waiting' },
      ] as const
      const at = drafts.clock()
      const { total } = await store.find(JOBS, { filters, sort: [], offset: 0, limit: 1 })
      count = { at, waiting: total }
      this.#counts.set(name, count)
    }
    if (count.waiting >= MAX_FROM_ENDPOINTS) {
      throw new AppError('QUEUE_FULL', `${count.waiting} jobs '${name}' are waiting; try again later`, { retryAfter: 60 })
    }
    count.waiting++
  }
}

/** The value that is unique among waiting jobs. */
export const waitingKeyOf = (name: string, key: string): string => `${name} ${key}`

/** On whose behalf a job runs; neither of a user nor of the server for a request without a token. */
const ownerOf = ({ userId, isSuperuser, key }: Actor) => ({
  actor_id: userId ?? null,
  key_id: key?.id ?? null,
  of_server: userId === undefined && isSuperuser,
})

const keysKeepChanging = (jobs: readonly NewJob[]): AppError => {
  const names = [...new Set(jobs.map(({ name }) => `'${String(name)}'`))].join(', ')
  return new AppError('WRITE_CONFLICT', `Jobs with the key of ${names} keep changing; try again`)
}
