import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CliResult, runCli } from '../cli/cli.ts'
import { type RunningServer, startServer } from '../cli/process.ts'
import { makeProject, type TemporaryFolder } from '../fixture.ts'
import { SECRET_KEY, succeeded } from './cli-project.ts'
import { newSchema } from './schemas.ts'
import { serverAddress, sharedDatabase } from './server.ts'

/** Folder of another checkout, built: its program serves the first release in place of the present one. */
export const BEFORE = process.env.ADMIN_TEST_BEFORE

/** Models of a release: the fields of each in YAML, or the whole model from `was:` or `fields:` on. */
export type Models = Readonly<Record<string, readonly string[]>>

/** A release of a project: its models, and the program that serves them. */
export interface Release {
  /** Starts a process that serves the release. */
  serve(): Promise<RunningServer>
  /** Runs a command of the present program in this process. */
  admin(line: string): Promise<CliResult>
}

/** Releases of one project, whose records are in one schema. */
export interface Releases {
  readonly schema: string
  /** @param program folder of the program that serves the release */
  release(models: Models, program?: string): Promise<Release>
  /** The headers of a superuser's requests, for every release. */
  headers(first: Release): Promise<Record<string, string>>
}

const yamlOf = (name: string, lines: readonly string[]): string => {
  const was = lines.filter((line) => line.startsWith('was:'))
  const fields = lines.filter((line) => !line.startsWith('was:')).map((line) => `  - { ${line} }`)
  return [`name: ${name}`, ...was, 'fields:', ...fields, ''].join('\n')
}

/** Calls `use` with an empty schema. All processes that it starts are ended. */
export async function withReleases(use: (releases: Releases) => Promise<void>): Promise<void> {
  const { schema, drop } = newSchema(await sharedDatabase())
  const env = { ADMIN_STORE: await serverAddress(), ADMIN_STORE__SCHEMA: schema, ADMIN_SECRET_KEY: SECRET_KEY }
  const folders: TemporaryFolder[] = []
  const started: RunningServer[] = []
  try {
    await use({
      schema,
      async release(models, program) {
        const files = Object.entries(models).map(([name, lines]) => [`models/${name.toLowerCase()}.yaml`, yamlOf(name, lines)])
        const config = { 'admin.config.yaml': 'rate_limits: { default: 0 }\nhistory: { days: 30 }\n' }
        const folder = await makeProject({ ...config, ...Object.fromEntries(files) })
        folders.push(folder)
        return {
          async serve() {
            const bin = program === undefined ? {} : { bin: join(program, 'bin/admin.js') }
            const server = await startServer(['--project', folder.path], { env, ...bin })
            started.push(server)
            return server
          },
          admin: (line) => runCli(line.split(' '), { cwd: folder.path, env, stdin: 'long-enough-1\n' }),
        }
      },
      async headers(first) {
        succeeded(await first.admin('users add root --email r@example.com --superuser --password-stdin'))
        const authorization = `Bearer ${succeeded(await first.admin('token')).trim()}`
        return { authorization, 'content-type': 'application/json' }
      },
    })
  } finally {
    for (const { child } of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    for (const folder of folders) await folder.remove()
    await drop()
  }
}

/** A writer of one model: what it sends with each new record, besides `mark` and `count`. */
export interface Writer {
  readonly model: string
  readonly data?: (index: number) => object
}

/** Statuses of the requests of a load, by model. */
export type Statuses = ReadonlyMap<string, ReadonlySet<number>>

/** Pause of a writer between its rounds, in milliseconds: leaves the machine to the release that starts. */
const PAUSE = 20

/**
 * Writes and reads records of several models on one server, until it is stopped. Each round creates a record, reads it, sets its `count`,
 * lists the model and searches it.
 */
export class Load {
  readonly #address: string
  readonly #headers: Record<string, string>
  readonly #writers: readonly Writer[]
  /** A word that begins the mark of each record. */
  readonly name: string
  readonly #done: Promise<unknown>
  #isStopped = false
  #seen = new Map<string, Set<number>>()
  /** Rounds of each writer. */
  readonly #rounds = new Map<string, number>()
  /** Every mark whose creation was answered 201, by model. */
  readonly created = new Map<string, Set<string>>()
  /** The marks whose update was answered 200, by model. */
  readonly updated = new Map<string, Set<string>>()
  /** Answers that are neither a success nor expected of a server that is behind. */
  readonly failures: string[] = []

  constructor(server: RunningServer, headers: Record<string, string>, writers: readonly Writer[], name: string) {
    this.#address = server.address
    this.#headers = headers
    this.#writers = writers
    this.name = name
    this.#done = Promise.all(writers.map((writer) => this.#write(writer)))
    // A test that fails ends its servers without stopping the load.
    this.#done.catch(() => {})
  }

  async #write({ model, data }: Writer): Promise<void> {
    const path = `models/${model}`
    for (let index = 0; !this.#isStopped; index++) {
      const mark = `${this.name} ${index}`
      const created = await this.#ask(model, 'POST', path, { data: { mark, count: 0, ...data?.(index) } })
      if (created.status === 201) {
        noteIn(this.created, model, mark)
        const { id } = created.json.data
        await this.#ask(model, 'GET', `${path}/${id}`)
        const updated = await this.#ask(model, 'PATCH', `${path}/${id}`, { data: { count: 1 } })
        if (updated.status === 200) noteIn(this.updated, model, mark)
      }
      await this.#ask(model, 'GET', `${path}?page_size=5&sort_by=mark`)
      await this.#ask(model, 'GET', `${path}/search?q=${this.name}&page_size=5`)
      this.#rounds.set(model, index + 1)
      await delay(PAUSE)
    }
  }

  /** The statuses of requests that begin from now on, of at least one whole round of each writer, by model. */
  async round(): Promise<Statuses> {
    this.#seen = new Map()
    // The present round of a writer has begun before.
    const wanted = new Map(this.#writers.map(({ model }) => [model, (this.#rounds.get(model) ?? 0) + 2]))
    while ([...wanted].some(([model, count]) => (this.#rounds.get(model) ?? 0) < count)) {
      if (await Promise.race([this.#done.then(() => true), delay(10, false)])) throw new Error('The load has ended')
    }
    return this.#seen
  }

  async #ask(model: string, method: string, path: string, body?: object) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const statuses = this.#seen
    const reply = await fetch(`${this.#address}/api/v1/${path}`, { method, headers: this.#headers, ...sent })
    const text = await reply.text()
    const seen = statuses.get(model) ?? new Set()
    statuses.set(model, seen.add(reply.status))
    if (reply.status >= 500 && reply.status !== 503) this.failures.push(`${method} ${path}: ${text}`)
    return { status: reply.status, json: JSON.parse(text) }
  }

  /** Ends the load when its requests are answered. No answer may have been a failure. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#done
    assert.deepEqual(this.failures, [])
  }
}

const noteIn = (marks: Map<string, Set<string>>, model: string, mark: string) =>
  marks.set(model, (marks.get(model) ?? new Set()).add(mark))

/** A request to a server: status, body, and error. */
export async function ask(server: RunningServer, headers: Record<string, string>, method: string, path: string, data?: object) {
  const body = data === undefined ? {} : { body: JSON.stringify({ data }) }
  const reply = await fetch(`${server.address}/api/v1/models/${path}`, { method, headers, ...body })
  // biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
  return { status: reply.status, json: (await reply.json()) as any }
}

/** What `/readyz` says: 200, or the status with the error. */
export async function readiness({ address }: RunningServer): Promise<number | string> {
  const reply = await fetch(`${address}/readyz`)
  return reply.status === 200 ? 200 : `${reply.status} ${((await reply.json()) as { error?: string }).error}`
}

/**
 * Asserts that a server has every acknowledged write, and that its searches find the records of a load, no more and no less.
 *
 * @param names present names of renamed models
 */
export async function assertAllThere(
  server: RunningServer,
  headers: Record<string, string>,
  loads: readonly Load[],
  names: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const [index, load] of loads.entries()) {
    for (const [model, marks] of load.created) {
      const name = names[model] ?? model
      const reply = await fetch(`${server.address}/api/v1/models/${name}/export?format=ndjson`, { headers })
      assert.equal(reply.status, 200, name)
      const lines = (await reply.text()).trim().split('\n')
      const counts = new Map(lines.map((line) => JSON.parse(line)).map(({ mark, count }) => [mark, Number(count)]))
      const lost = [...marks].filter((mark) => !counts.has(mark))
      assert.deepEqual(lost, [], `creations of ${name}, load ${index}`)
      const unset = [...(load.updated.get(model) ?? [])].filter((mark) => counts.get(mark) !== 1)
      assert.deepEqual(unset, [], `updates of ${name}, load ${index}`)
      assert.ok(marks.size > 0)
      const written = [...counts.keys()].filter((mark) => mark.startsWith(`${load.name} `))
      const { json } = await ask(server, headers, 'GET', `${name}/search?q=${load.name}`)
      assert.deepEqual([json.total, json.missing], [written.length, undefined], `a search of ${name}, load ${index}`)
    }
  }
}
