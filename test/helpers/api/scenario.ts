import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openTestApp, type TestApp, type TestAppOptions } from './app.ts'
import { assertContract } from './contract.ts'

/** One exchange with the server, as data. */
export interface Scenario {
  readonly name: string
  /** `GET /api/v1/models/post?page=2` */
  readonly request: `${'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH'} /${string}`
  /** Whose token is sent; `admin` when absent, none when null. */
  readonly as?: string | null
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Brings the application into the state that the scenario speaks of; what it returns is given to `check`. */
  readonly given?: (app: TestApp) => Promise<void>
  /** Why the scenario is not played on this engine. */
  readonly skip?: string | false
  readonly status: number
  /** The whole body, exactly. */
  readonly expect?: unknown
  /** Members that the body has, at any depth (arrays must match whole). */
  readonly expectPart?: unknown
  readonly expectHeaders?: Readonly<Record<string, string | RegExp>>
  /** How often hooks are told of a change after the commit, by kind and table: `{ 'delete post': 1, 'delete comment': 3 }`; `{}` for none. */
  readonly events?: Readonly<Record<string, number>>
  /** Anything that data cannot say. `json` is the parsed body. */
  readonly check?: (reply: Reply, app: TestApp) => void | Promise<void>
}

/** A scenario in a row: its name, request and status, then what else is sent and expected. */
export const scenario = (
  name: string,
  request: Scenario['request'],
  status: number,
  rest: Omit<Scenario, 'name' | 'request' | 'status'> = {},
): Scenario => ({ name, request, status, ...rest })

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each scenario knows what it asked for
  readonly json: any
}

/**
 * Runs scenarios. Those that change nothing share an application; each of the others gets one of its own. A response below 500
 * must come without an internal error in the log.
 */
export function scenarios(
  title: string,
  ...given: readonly [list: readonly Scenario[]] | readonly [options: TestAppOptions, list: readonly Scenario[]]
): void {
  const [options, list] = given.length === 1 ? [{}, given[0]] : given
  describe(title, { concurrency: 4 }, () => {
    let shared: Promise<TestApp> | undefined
    for (const each of list) {
      test(`${each.name} (${each.request})`, { skip: each.skip ?? false }, async () => {
        if (changesNothing(each)) {
          shared ??= openTestApp(options)
          await playWithoutErrors(await shared, each)
          return
        }
        await using app = await openTestApp(options)
        await each.given?.(app)
        await playWithoutErrors(app, each)
      })
    }
    after(async () => (await shared)?.close())
  })
}

/** A read, or a refused write, whose `check` does not look at the application. Logins count towards limits, so they are not among them. */
const changesNothing = ({ request, given, check, status, events }: Scenario): boolean =>
  given === undefined &&
  events === undefined &&
  (check?.length ?? 0) < 2 &&
  (request.startsWith('GET ') || (status >= 400 && status < 500)) &&
  status < 500 &&
  !request.includes('/auth/')

async function playWithoutErrors(app: TestApp, scenario: Scenario): Promise<void> {
  await play(app, scenario)
  if (scenario.status < 500) assert.deepEqual(app.reported, [])
}

/** Plays one scenario on an application that is already there, and returns the reply. */
export async function play(app: TestApp, scenario: Omit<Scenario, 'name' | 'given'>): Promise<Reply> {
  const events = scenario.events === undefined ? undefined : await hear(app, scenario)
  const reply = await send(app, scenario)
  assert.equal(reply.status, scenario.status, `${scenario.request} answered ${reply.status}: ${reply.text.slice(0, 500)}`)
  if (scenario.expect !== undefined) assert.deepEqual(reply.json, scenario.expect)
  if (scenario.expectPart !== undefined) assertPart(reply.json, scenario.expectPart, 'body')
  for (const [name, value] of Object.entries(scenario.expectHeaders ?? {})) {
    if (typeof value === 'string') assert.equal(reply.headers[name], value, name)
    else assert.match(String(reply.headers[name]), value, name)
  }
  if (events !== undefined) assert.deepEqual(events, scenario.events, 'events')
  await scenario.check?.(reply, app)
  return reply
}

/** Counts the committed changes from now on. A login, which changes its user, comes before. */
async function hear(app: TestApp, { as }: Pick<Scenario, 'as'>): Promise<Readonly<Record<string, number>>> {
  const heard: Record<string, number> = {}
  if (as !== null) await app.tokenOf(as ?? 'admin')
  app.app.hooks.use({
    afterCommit(changes) {
      for (const { table, before, after } of changes) {
        const event = `${before === undefined ? 'create' : after === undefined ? 'delete' : 'update'} ${table}`
        heard[event] = (heard[event] ?? 0) + 1
      }
    },
  })
  return heard
}

/** Sends a request and returns what came back, without an opinion on it, save that it must be what the API's description says. */
export async function send(
  app: TestApp,
  request: Pick<Scenario, 'request' | 'as' | 'body' | 'rawBody' | 'headers'>,
): Promise<Reply> {
  const [method = 'GET', url = '/'] = request.request.split(/ (.*)/s)
  const token = request.as === null ? undefined : await app.tokenOf(request.as ?? 'admin')
  const payload = request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
  const response = await app.server.inject({
    method,
    url,
    ...(payload === undefined ? {} : { payload }),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
  })
  const { statusCode: status, headers, payload: text } = response
  assertContract(app, { method, url, body: request.body, status, headers, text })
  return { status, headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function assertPart(actual: unknown, expected: unknown, at: string): void {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) {
    assert.deepEqual(actual, expected, at)
    return
  }
  assert.ok(typeof actual === 'object' && actual !== null, `${at} is ${JSON.stringify(actual)}`)
  for (const [name, value] of Object.entries(expected)) assertPart(Reflect.get(actual, name), value, `${at}.${name}`)
}
