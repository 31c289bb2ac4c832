import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'

/** A job that waits, runs, or is over. */
const QueuedJob = defineModel({
  name: 'QueuedJob',
  fields: [
    { name: 'name', type: 'string', required: true },
    { name: 'input', type: 'json' },
    { name: 'key', type: 'string', index: false },
    // The name and the key of a waiting job, so that none is stored again.
    { name: 'waiting_key', type: 'string', unique: true },
    // The name and the time of a schedule, so that one process stores it.
    { name: 'occurrence', type: 'string', unique: true },
    // The name and a number below the limit of jobs at once, while it runs.
    { name: 'slot', type: 'string', unique: true },
    { name: 'status', type: 'choice', choices: ['waiting', 'running', 'done', 'failed'], required: true },
    // Of a waiting job the time from which it may run, of a running one the end of its lease; null if it is over.
    { name: 'due_at', type: 'datetime' },
    { name: 'attempt', type: 'integer', required: true, index: false },
    { name: 'failures', type: 'integer', required: true, index: false },
    // Number of leases that ended without a result.
    { name: 'lost', type: 'integer', required: true, index: false },
    // A name of the attempt that has the lease.
    { name: 'holder', type: 'string', index: false },
    { name: 'actor_id', type: 'integer', index: false },
    // The API key that the job was enqueued with, whose scopes hold for it as well.
    { name: 'key_id', type: 'integer', index: false },
    { name: 'of_server', type: 'boolean', required: true },
    { name: 'request_id', type: 'string', index: false },
    { name: 'chain', type: 'json' },
    { name: 'error', type: 'text' },
    { name: 'enqueued_at', type: 'datetime', required: true, index: false },
    { name: 'started_at', type: 'datetime', index: false },
    { name: 'finished_at', type: 'datetime' },
  ],
})

/** Key of the table of jobs. */
export const JOBS = 'queuedjob'

/** The internal models of jobs. */
export const JOB_MODELS: readonly Definition[] = [{ value: QueuedJob, source: flatSource(`built-in model ${QueuedJob.name}`) }]
