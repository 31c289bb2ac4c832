import { Faults } from '../config/fault.ts'
import { flatSource } from '../config/source.ts'
import type { Registry } from '../model/registry.ts'
import type { StoredRecord } from '../store/store.ts'
import { isObject, type Json, type JsonObject } from '../util/json.ts'
import { parseInput } from './parse-input.ts'
import type { ProjectJob } from './parse-jobs.ts'

/** Name of the job of the server that sends a mail. No job of a project can have it. */
export const MAIL_JOB = 'admin.mail'

const FIELDS = [
  { name: 'to', type: 'email', required: true, label: 'To' },
  { name: 'subject', type: 'string', required: true, max_length: 250, label: 'Subject' },
  { name: 'text', type: 'text', required: true, max_length: 100_000, label: 'Text' },
] as const

/** The input of a job without the text of a mail, which is for its receiver: it may have a link that logs in. */
export function withoutText({ name, input }: StoredRecord): Json {
  if (name !== MAIL_JOB || !isObject(input)) return input ?? null
  const { text: _, ...others } = input as JsonObject
  return others
}

/** Time of an attempt, in milliseconds. */
const TIMEOUT_MS = 120_000

/** The job that sends a mail; the server runs it in place of code of the project. */
export function mailJob(registry: Registry): ProjectJob {
  const faults = new Faults('code/invalid')
  const place = { source: flatSource(`built-in job ${MAIL_JOB}`), path: [], registry, unclear: new Set<string>() }
  const input = parseInput(`job ${MAIL_JOB}`, FIELDS, place, faults)
  faults.throwIfAny()
  const code = { file: 'admin-folder', line: 1, name: MAIL_JOB, call: () => {} }
  return { name: MAIL_JOB, code, input, schedule: undefined, attempts: 5, timeoutMs: TIMEOUT_MS, concurrency: undefined }
}
