import { markCallSite } from '../config/call-site.ts'
import type { FieldDefinition } from '../model/definition.ts'
import type { Job, JobContext } from './define.ts'
import type { InputOf } from './define-endpoint.ts'

/** A job, as written. */
export interface JobDefinition<F extends readonly FieldDefinition[] = readonly FieldDefinition[], I = object> {
  /** Lower case with underscores, such as `send_receipt`. */
  readonly name: string
  readonly input?: F
  /** A cron pattern, such as `0 6 * * MON`; with six parts the first is seconds. The input is empty. */
  readonly schedule?: string
  /** A name of the IANA database, such as `Europe/Berlin`; default: UTC. */
  readonly timezone?: string
  /** Number of failed attempts after which the job is kept as failed; default: 5. */
  readonly attempts?: number
  /** Time of an attempt; default: `10m`. */
  readonly timeout?: `${number}${'s' | 'm' | 'h'}`
  /** Number of jobs of this name that run at once, in all processes. */
  readonly concurrency?: number
  readonly run: (input: I, ctx: JobContext) => unknown
}

/**
 * Defines a job: work that is stored, and run at least once. It may run again after a failure or a crash.
 *
 * @example export default defineJob({ name: 'receipt', input: [{ name: 'number', type: 'string' }], run: ({ number }, ctx) => { … } })
 */
export function defineJob<const F extends readonly FieldDefinition[] = readonly []>(
  job: JobDefinition<F, InputOf<NoInfer<F>>>,
): Job<InputOf<F>> {
  return markCallSite(job as Job<InputOf<F>>, defineJob)
}
