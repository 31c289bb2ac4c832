import { setTimeout as delay } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { type ApiClient, withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { MAX_PAGE } from '../model-requests.ts'
import { parseId, wholeNumber } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { counted, printRecords } from '../style.ts'
import { jsonObjectIn } from './action.ts'

/** A job as the API shows it. */
interface ListedJob {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly attempt: number
  readonly error: string | null
  readonly run_at: string | null
  readonly started_at: string | null
}

type ListOptions = RemoteOptions & { status?: string; name?: string; limit: number; json?: boolean }
type RunOptions = RemoteOptions & { input?: string; key?: string; at?: string }
type DrainOptions = RemoteOptions & { timeout: number; ignoreFailed?: boolean }
type Api = Pick<Client, 'request'>

/** Pause between two questions of `drain`, in milliseconds. */
const POLL_MS = 250
/** Number of jobs that `drain` names. */
const MAX_NAMED = 20

const DRAIN_HELP = `
Without a running server, the command runs the jobs itself. Schedules store no jobs meanwhile.

Jobs that wait, but whose names the project has no more, are not waited for; a warning names them.

The command fails while there are failed jobs, however old. Let them run again, or add --ignore-failed.

Example:
  $ admin jobs drain --timeout 60
`

/** `admin jobs`: lists and runs the jobs of the project. Works with and without a running server. */
export function jobsCommand(io: Io): Command {
  const jobs = new Command('jobs')
    .description('list the jobs of the project, run them, let them run again')
    .addHelpText('after', '\nExample:\n  $ admin jobs run receipt --input \'{"number":"O-1"}\'\n')
  for (const command of [listCommand(io), runCommand(io), retryCommand(io), drainCommand(io)]) jobs.addCommand(command)
  return jobs
}

function listCommand(io: Io): Command {
  return withRemoteOptions(new Command('list').description('list jobs, latest first'))
    .addOption(new Option('--status <status>', 'only jobs that stand so').choices(['waiting', 'running', 'done', 'failed']))
    .option('--name <name>', 'only jobs of this name')
    .option('--limit <n>', `maximum number of jobs, up to ${MAX_PAGE}`, wholeNumber('The limit', 1, MAX_PAGE), 20)
    .option('--json', 'print the jobs as a JSON array')
    .addHelpText('after', '\nExample:\n  $ admin jobs list --status failed\n')
    .action(async ({ status, name, limit, json = false, ...options }: ListOptions) => {
      const query = { status, name, page_size: limit }
      const { data } = await withJobs(io, options, ({ client }) => pageOf(client, query))
      printRecords(
        io,
        data,
        { json },
        {
          ID: ({ id }) => String(id),
          NAME: ({ name }) => name,
          STATUS: ({ status }) => status,
          ATTEMPT: ({ attempt }) => String(attempt),
          AT: ({ run_at: due, started_at: started }) => due ?? started ?? '',
          ERROR: ({ error }) => error ?? '',
        },
      )
    })
}

function runCommand(io: Io): Command {
  return withRemoteOptions(new Command('run').description('store a job; the server, or `admin jobs drain`, runs it'))
    .argument('<job>', 'name of the job')
    .option('--input <json>', 'the input of the job, as a JSON object')
    .option('--key <key>', 'store none while one with this key waits')
    .option('--at <time>', 'not before this time, such as 2026-01-31T06:00:00Z')
    .addHelpText('after', '\nExample:\n  $ admin jobs run receipt --input \'{"number":"O-1"}\'\n')
    .action(async (job: string, { input, key, at, ...options }: RunOptions) => {
      const body = {
        ...(input === undefined ? {} : { input: jsonObjectIn(input) }),
        ...(key === undefined ? {} : { key }),
        ...(at === undefined ? {} : { run_at: at }),
      }
      const path = `/jobs/${encodeURIComponent(job)}/run`
      const id = await withJobs(io, options, ({ client }) => stored(client, path, body))
      io.stderr.write(`Job ${id} is waiting\n`)
    })
}

function retryCommand(io: Io): Command {
  return withRemoteOptions(new Command('retry').description('let a job run again, or a waiting one at once'))
    .argument('<id>', 'id of the job', parseId)
    .addHelpText('after', '\nExample:\n  $ admin jobs retry 7\n')
    .action(async (id: number, options: RemoteOptions) => {
      await withJobs(io, options, ({ client }) => stored(client, `/jobs/${id}/retry`))
      io.stderr.write(`Job ${id} is waiting\n`)
    })
}

function drainCommand(io: Io): Command {
  return withRemoteOptions(new Command('drain').description('wait until no job waits or runs, or fail and list those that do'))
    .option('--timeout <seconds>', 'maximum time to wait', parseSeconds, 30)
    .option('--ignore-failed', 'do not fail because of failed jobs')
    .addHelpText('after', DRAIN_HELP)
    .action(({ timeout, ignoreFailed = false, ...options }: DrainOptions) =>
      withJobs(io, options, async ({ client, app }) => {
        await app?.jobs.startWorker()
        await drained(client, timeout)
        const left = await leftOver(client)
        if (left !== undefined) io.stderr.write(`Warning: ${left}\n`)
        const failed = ignoreFailed ? undefined : await pageOf(client, { status: 'failed', page_size: MAX_NAMED })
        if (failed !== undefined && failed.total > 0) throw listed(`${counted(failed.total, 'job')} failed`, failed.data)
        io.stderr.write('No job is waiting\n')
      }),
    )
}

/** Runs work against the API of a project. @throws {AppError} also if the project has no jobs, and thus no routes of them */
async function withJobs<T>(io: Io, options: RemoteOptions, work: (api: ApiClient) => Promise<T>): Promise<T> {
  try {
    return await withApi(io, options, work)
  } catch (error) {
    if (!isUnknownPath(error) && !(error instanceof AppError && isUnknownPath(error.cause))) throw error
    throw new AppError('ROUTE_NOT_FOUND', 'The project has no jobs; define some in the folder jobs/', { cause: error })
  }
}

const isUnknownPath = (error: unknown): boolean => error instanceof AppError && error.code === 'ROUTE_NOT_FOUND'

/** @throws {AppError} TASK_FAILED with the jobs that wait or run when the time is over */
async function drained(client: Api, timeout: number): Promise<void> {
  for (const end = performance.now() + 1000 * timeout; ; ) {
    const [waiting, running] = [await open(client, 'waiting'), await open(client, 'running')]
    const total = waiting.total + running.total
    if (total === 0) return
    if (performance.now() >= end) throw listed(`${counted(total, 'job')} not over`, [...running.data, ...waiting.data])
    await delay(POLL_MS)
  }
}

const open = (client: Api, status: string, known = true) => pageOf(client, { status, known: String(known), page_size: MAX_NAMED })

/** A sentence about jobs that no process runs, since the project has no more jobs of their names; undefined if there are none. */
async function leftOver(client: Api): Promise<string | undefined> {
  const [waiting, running] = [await open(client, 'waiting', false), await open(client, 'running', false)]
  const total = waiting.total + running.total
  if (total === 0) return undefined
  const names = new Set([...waiting.data, ...running.data].map(({ name }) => name))
  return `${counted(total, 'job')} not run, since the project has no more such jobs: ${[...names].join(', ')}`
}

const listed = (what: string, jobs: readonly ListedJob[]): AppError =>
  new AppError('TASK_FAILED', [what, ...jobs.slice(0, MAX_NAMED).map(described)].join('\n'))

const described = ({ id, name, status, attempt, error, run_at: due }: ListedJob): string =>
  [`job ${id} (${name}) ${status}, attempt ${attempt}`, due === null ? '' : `due ${due}`, error ?? ''].filter(Boolean).join('; ')

async function pageOf(
  client: Api,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<{ readonly data: readonly ListedJob[]; readonly total: number }> {
  const entries = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return (await client.request('/jobs', { query: entries })) as { data: readonly ListedJob[]; total: number }
}

/** @returns the id of the job */
async function stored(client: Api, path: string, body?: object): Promise<number> {
  const { data } = (await client.request(path, { method: 'POST', ...(body && { body }) })) as { data: ListedJob }
  return data.id
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}
