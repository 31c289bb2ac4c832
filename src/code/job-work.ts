import type { AccessRules } from '../access/access-rules.ts'
import { isCurrentKey, withinKey } from '../access/key-rights.ts'
import { actorOfUser } from '../access/present-rights.ts'
import { API_KEYS } from '../auth/account-models.ts'
import { type Actor, ANONYMOUS, GIVEN_KEY_ID, SHELL } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { type MailTransport, RefusedMail } from '../mail/mail.ts'
import type { Lane } from '../queue/lane.ts'
import type { QueueWork } from '../queue/queue-work.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Timer } from '../util/clock.ts'
import { type Caller, contextOf, type ServiceParts } from './context.ts'
import { type JobResult, type JobTable, LEASE_MS, type TakenJob } from './job-table.ts'
import { MAIL_JOB } from './mail-job.ts'
import type { ProjectJob } from './parse-jobs.ts'
import { codeName, failureOf, failureText, TimeLimit } from './running.ts'

/** A lease is extended after this time, in milliseconds. */
const RENEW_MS = LEASE_MS / 3

export interface JobWorkParts extends ServiceParts {
  readonly access: AccessRules
  readonly store: Store
  readonly table: JobTable
  readonly timer: Timer
  readonly concurrency: number
  readonly mails: MailTransport | undefined
}

/** Runs the jobs that this process has taken. */
export class JobWork implements QueueWork<TakenJob, JobResult> {
  readonly name = 'jobs'
  readonly concurrency: number
  readonly attemptMs = LEASE_MS
  readonly #parts: JobWorkParts
  readonly #stopping = new AbortController()

  constructor(parts: JobWorkParts) {
    this.#parts = parts
    this.concurrency = parts.concurrency
  }

  lanes(): Iterable<Pick<Lane<TakenJob>, 'id' | 'target'>> {
    return [{ id: 0, target: 'jobs' }]
  }

  async follow(): Promise<void> {}

  /** Runs a job. Undefined if the server stops, or another process has taken the job. */
  async attempt(_lane: Lane<TakenJob>, taken: TakenJob): Promise<JobResult | undefined> {
    const { table, log } = this.#parts
    const { job } = taken
    const lease = new AbortController()
    const endLease = this.#keep(taken, lease)
    const ended = AbortSignal.any([this.#stopping.signal, lease.signal])
    try {
      await this.#run(taken, ended)
      return { taken, error: undefined, isFinal: false }
    } catch (error) {
      if (ended.aborted) {
        if (!lease.signal.aborted) await table.giveBack(taken)
        return undefined
      }
      const failure = failed(error, job)
      const { id, attempt } = taken.record
      log.error('A job failed', {
        error: failure,
        code: codeName(job.code),
        job: id,
        attempt,
        request_id: taken.record.request_id,
      })
      return { taken, error: failureText(failure), isFinal: error instanceof RefusedMail }
    } finally {
      endLease()
    }
  }

  async stored(): Promise<void> {}

  failed(_lane: Lane<TakenJob>, error: unknown): void {
    this.#parts.log.error('The result of a job could not be kept', { error })
  }

  abort(): void {
    this.#stopping.abort(new Error('The server stops'))
  }

  async #run({ id, job, record }: TakenJob, ended: AbortSignal): Promise<void> {
    const { timer } = this.#parts
    const limit = new TimeLimit(job.timeoutMs, timer)
    const signal = AbortSignal.any([limit.signal, ended])
    const { request_id: requestId, chain } = record
    const caller: Caller = {
      actor: await actorOf(this.#parts, record),
      via: 'job',
      requestId: typeof requestId === 'string' ? requestId : undefined,
      chain: (chain ?? []) as readonly string[],
    }
    const name = `${job.code.file} ${job.name}`
    const context = {
      ...contextOf(this.#parts, caller, { name, via: 'job' }, signal),
      job: { id, attempt: Number(record.attempt) },
    }
    const run = async () => (job.name === MAIL_JOB ? this.#send(record, signal) : job.code.call(record.input as object, context))
    const end = new Promise<never>((_, reject) => {
      if (ended.aborted) reject(ended.reason)
      ended.addEventListener('abort', () => reject(ended.reason), { once: true })
    })
    await limit.wait(Promise.race([run(), end]), () => codeName(job.code))
  }

  async #send({ input, key, enqueued_at: at }: StoredRecord, signal: AbortSignal): Promise<void> {
    const { mails } = this.#parts
    if (mails === undefined) throw new Error('The setting `mail` is missing')
    const { to, subject, text } = input as { readonly to: string; readonly subject: string; readonly text: string }
    await mails.send({ to, subject, text, id: String(key), at: new Date(String(at)) }, signal)
  }

  /** Extends the lease of a job until the returned function is called. @param lost aborted if another process has taken the job */
  #keep(taken: TakenJob, lost: AbortController): () => void {
    const { table, timer, log } = this.#parts
    let isOver = false
    let cancel = () => {}
    const plan = () => {
      cancel = timer(RENEW_MS, async () => {
        const isHeld = await table.renew(taken).catch((error: unknown) => {
          log.error('The lease of a job could not be extended; this is tried again', { error, job: taken.id })
          return true
        })
        if (isOver) return
        if (isHeld) plan()
        else lost.abort(new Error(`Another process has taken the job ${taken.id}`))
      })
    }
    plan()
    return () => {
      isOver = true
      cancel()
    }
  }
}

/** On whose behalf a job runs, with the present rights; a user who is gone or inactive has none. */
async function actorOf(
  { store, access, clock }: Pick<JobWorkParts, 'store' | 'access' | 'clock'>,
  { actor_id: id, key_id: keyId, of_server: isOfServer }: StoredRecord,
): Promise<Actor> {
  if (isOfServer === true) return SHELL
  const [user] = typeof id === 'number' ? await store.get('user', [id]) : []
  if (user?.is_active !== true) return ANONYMOUS
  const owner = await actorOfUser(store, user)
  if (typeof keyId !== 'number' || keyId === GIVEN_KEY_ID) return owner
  const [key] = await store.get(API_KEYS, [keyId])
  return key?.user_id === user.id && isCurrentKey(key, clock()) ? withinKey(owner, key, access.registry) : ANONYMOUS
}

function failed(error: unknown, { name, code, timeoutMs }: ProjectJob): Error {
  // Not a fault of code, so no file and line.
  if (name === MAIL_JOB && error instanceof Error && !(error instanceof AppError)) return error
  const isLate = error instanceof AppError && error.code === 'CODE_TIMEOUT'
  return isLate ? new Error(`${codeName(code)} took more than ${timeoutMs / 1000} s`) : failureOf(error, code)
}
