import { relative } from 'node:path'
import { Cron } from 'croner'
import Joi from 'joi'
import { callSiteOf } from '../config/call-site.ts'
import { type FaultRule, Faults } from '../config/fault.ts'
import { validateShape } from '../config/shape.ts'
import type { Definition } from '../config/source.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { JobContext } from './define.ts'
import type { JobDefinition } from './define-job.ts'
import type { CodeFunction } from './parse-hooks.ts'
import { parseInput } from './parse-input.ts'

/** A job of the project. */
export interface ProjectJob {
  readonly name: string
  readonly code: CodeFunction<(input: object, ctx: JobContext) => unknown>
  /** The fields of its input. */
  readonly input: Model
  readonly schedule: Cron | undefined
  /** Number of failed attempts after which it is kept as failed. */
  readonly attempts: number
  /** Time of an attempt, in milliseconds. */
  readonly timeoutMs: number
  /** Number of jobs of this name that run at once; undefined without a limit. */
  readonly concurrency: number | undefined
}

/** The jobs of a project by name. */
export type ProjectJobs = ReadonlyMap<string, ProjectJob>

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const
/** The longest time of an attempt: timers of Node.js take 24 days. */
const MAX_HOURS = 24

const schema = Joi.object<JobDefinition>({
  name: Joi.string()
    .pattern(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    .max(100)
    .required()
    .messages({
      'string.pattern.base': "'{{#value}}' cannot be the name of a job; use lower-case letters, digits and single underscores",
    }),
  input: Joi.array(),
  schedule: Joi.string(),
  timezone: Joi.string(),
  attempts: Joi.number().integer().min(1).max(100),
  timeout: Joi.string()
    .pattern(/^\d{1,6}(\.\d+)?[smh]$/)
    .custom((text: string, helpers) => {
      const milliseconds = millisecondsOf(text)
      return milliseconds > 0 && milliseconds <= MAX_HOURS * UNIT_MS.h ? text : helpers.error('timeout.range')
    })
    .messages({
      'string.pattern.base': "{{#label}} must be a time such as 30s, 10m or 2h, not '{{#value}}'",
      'timeout.range': `{{#label}} must be more than 0s, and at most ${MAX_HOURS}h`,
    }),
  concurrency: Joi.number().integer().min(1).max(1000),
  run: Joi.function().required(),
})

const millisecondsOf = (text: string): number => Number(text.slice(0, -1)) * UNIT_MS[text.slice(-1) as keyof typeof UNIT_MS]

/**
 * Compiles the jobs of a project. Faulty ones are left out.
 *
 * @param folder of the project
 * @param unclear keys of models that are faulty
 */
export function parseJobs(
  folder: string,
  definitions: readonly Definition[],
  registry: Registry,
  unclear: ReadonlySet<string>,
): { jobs: ProjectJobs; faults: Faults } {
  const faults = new Faults('code/invalid')
  const jobs = new Map<string, ProjectJob>()
  for (const { value: written, source } of definitions) {
    const { value, faults: shape } = validateShape(schema, written, source, { rule: () => 'code/invalid' })
    faults.addAll(shape.list)
    if (value === undefined) continue
    const fault = (member: string, message: string, rule: FaultRule = 'code/invalid') =>
      faults.add(source, [member], message, { rule })
    const { name, attempts = 5, timeout = '10m', concurrency } = value
    const site = callSiteOf(written)
    const { file, line } = site === undefined ? source.at([]) : { ...site, file: relative(folder, site.file) }
    const twin = jobs.get(name)
    if (twin !== undefined) {
      const place = `${twin.code.file}:${twin.code.line}`
      fault('name', `The job '${name}' is already defined (${place}); choose another name`, 'code/name-taken')
      continue
    }
    const input = parseInput(`job ${name}`, value.input ?? [], { source, path: ['input'], registry, unclear }, faults)
    const secret = [...input.fields.values()].find(({ type }) => type.secret)
    if (secret !== undefined) {
      fault('input', `The input of a job is stored and listed, so '${secret.name}' cannot be a password; pass the id of a record`)
    }
    const schedule = readSchedule(value, fault)
    if (schedule !== undefined) {
      const needed = [...input.fields.values()].find((field) => field.required && field.default === undefined)
      if (needed !== undefined) {
        fault('schedule', `The input '${needed.name}' is required, and a schedule gives none; give it a default`)
      }
    }
    const code = { file, line, name, call: value.run as ProjectJob['code']['call'] }
    jobs.set(name, { name, code, input, schedule, attempts, timeoutMs: millisecondsOf(timeout), concurrency })
  }
  return { jobs, faults }
}

const DATE = /^\s*\d{4}-\d\d/

type AddFault = (member: string, message: string, rule?: FaultRule) => void

/** The pattern of a schedule; undefined without one, and for a faulty one. */
function readSchedule({ schedule, timezone }: JobDefinition, fault: AddFault): Cron | undefined {
  if (schedule === undefined) {
    if (timezone !== undefined) fault('timezone', 'A time zone is that of a schedule; add one, or leave it out')
    return undefined
  }
  if (timezone !== undefined && !isTimeZone(timezone)) {
    fault('timezone', `There is no time zone '${timezone}'; write a name such as Europe/Berlin`)
    return undefined
  }
  try {
    // Not a date, nor a pattern with a year: a project that starts today has to start then.
    if (DATE.test(schedule)) throw new Error('a date comes once')
    const cron = new Cron(schedule, { timezone: timezone ?? 'UTC', mode: '5-or-6-parts', paused: true })
    if (cron.nextRun() !== null) return cron
    fault('schedule', `'${schedule}' never comes; correct its day or its month`, 'code/schedule-never')
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : String(error)
    fault('schedule', `'${schedule}' is no pattern of a schedule, such as 0 6 * * MON: ${reason}`)
  }
  return undefined
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
