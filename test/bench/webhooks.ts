import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { member } from './data/members.ts'
import { accessTokens, MEMBERS_PATH } from './data/project.ts'
import { CONNECTIONS } from './load/load.ts'
import { measurePairs, type Side } from './load/pairs.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Bar, type Figure, failureOf, type Result } from './results/figures.ts'
import { say } from './results/report.ts'
import { createOf } from './store/rows.ts'

const RECORDS = 10_000
const EVENTS = 10_000
const BATCH = 1000
const DEAD = 16
/** Connections of the baseline: as many as concurrent deliveries to one receiver. */
const SENDERS = 8
const LOOK_MS = 20
const DEAD_BAR = { is: 'at most', ratio: 1.2 } as const

interface Receivers {
  readonly live: number
  readonly dead: number
}

/**
 * Compares deliveries per second to a live receiver with bare requests, and the latency of creates without webhooks, with a live
 * receiver, and with a live and many dead receivers.
 */
export async function webhooksBench(options: BenchOptions): Promise<Result[]> {
  const results: Result[] = []
  const none = { live: 0, dead: 0 }
  const live = { live: 1, dead: 0 }
  const all = { live: 1, dead: DEAD }
  const benches: readonly (readonly [string, (name: string) => Promise<Figure>])[] = [
    ['deliveries to a live receiver, beside bare requests', (name) => throughput(name, options)],
    ['p99 of creates with a live receiver, beside no webhooks', (name) => latency(name, options, live, none)],
    [
      `p99 of creates with ${DEAD} dead receivers and a live one, beside the live one alone`,
      (name) => latency(name, options, all, live, DEAD_BAR),
    ],
    [
      `p99 of creates with ${DEAD} dead receivers and a live one, beside no webhooks`,
      (name) => latency(name, options, all, none, DEAD_BAR),
    ],
  ]
  for (const [name, bench] of benches) {
    say(`webhooks: ${name}`)
    try {
      results.push(await bench(name))
    } catch (error) {
      results.push(failureOf({ bench: 'webhooks', name, records: RECORDS }, error))
    }
  }
  return results
}

async function throughput(name: string, { profile }: BenchOptions): Promise<Figure> {
  const receiver = await startReceiver()
  try {
    const ours = await withMembers(RECORDS, profile, async (address) => {
      await subscribe(address, receiver.url)
      const begin = performance.now()
      for (let first = RECORDS; first < RECORDS + EVENTS; first += BATCH) {
        const records = Array.from({ length: BATCH }, (_, index) => fieldsOf(first + index + 1))
        await call(address, `${MEMBERS_PATH}/bulk`, { records })
      }
      await receiver.got(EVENTS)
      return perSecond(begin)
    })
    const body = JSON.stringify({
      event: 'create',
      model: 'member',
      data: member(1),
      timestamp: new Date(0),
      signature: 'x'.repeat(71),
    })
    const begin = performance.now()
    await bareRequests(receiver.url, body)
    await receiver.got(2 * EVENTS)
    const baseline = perSecond(begin)
    return { bench: 'webhooks', name, records: RECORDS, unit: '/s', ours, baseline, ratio: ours / baseline }
  } finally {
    receiver.stop()
  }
}

/**
 * Compares creates on two servers with different receivers.
 *
 * @param ours the receivers of the measured server. `live` ones respond; half of the `dead` ones accept connections and never respond, the
 *   other half do not listen
 * @param beside the receivers of the baseline
 */
async function latency(
  name: string,
  { seconds, profile }: BenchOptions,
  ours: Receivers,
  beside: Receivers,
  bar?: Bar,
): Promise<Figure> {
  const silent = createServer((socket) => socket.on('error', () => {}).resume())
  const [port, closed] = [await listening(silent), await freePort()]
  const receiver = await startReceiver()
  const subscribeAll = async (address: string, { live, dead }: Receivers) => {
    for (let count = 0; count < live; count++) await subscribe(address, receiver.url)
    for (let count = 0; count < dead; count++) await subscribe(address, `http://127.0.0.1:${count % 2 === 0 ? port : closed}/`)
  }
  try {
    return await withMembers(RECORDS, profile, (one) =>
      withMembers(RECORDS, undefined, async (other) => {
        await subscribeAll(one, ours)
        await subscribeAll(other, beside)
        const result = await measurePairs(side(one), side(other), { seconds })
        if (result.firstError !== undefined)
          throw new Error(`${result.errors} answers were errors; the first: ${result.firstError}`)
        const details = {
          p50: result.ours.p50,
          p99: result.ours.p99,
          baseline_p50: result.bare.p50,
          baseline_p99: result.bare.p99,
          per_second: result.ours.perSecond,
          baseline_per_second: result.bare.perSecond,
          throughput_ratio: result.ratio,
          generator_load: result.generatorLoad,
        }
        const figures = { ours: result.ours.p99, baseline: result.bare.p99, ratio: result.ours.p99 / result.bare.p99 }
        return {
          bench: 'webhooks',
          name,
          records: RECORDS,
          unit: 'ms',
          ...figures,
          ...(bar === undefined ? {} : { bar }),
          details,
        }
      }),
    )
  } finally {
    silent.close()
    receiver.stop()
  }
}

function side(address: string): Side {
  let number = RECORDS
  return { target: { address, tokens: accessTokens(CONNECTIONS) }, requests: () => () => createOf(++number) }
}

const perSecond = (begin: number): number => (EVENTS * 1000) / (performance.now() - begin)

/** The fields of a member as a client sends them. */
function fieldsOf(number: number): unknown {
  const { data } = JSON.parse(createOf(number).body ?? '') as { data: unknown }
  return data
}

const subscribe = (address: string, url: string): Promise<void> => call(address, '/api/v1/webhooks', { url, models: ['member'] })

async function call(address: string, path: string, body: object): Promise<void> {
  const [token] = accessTokens(1)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`)
}

/** Sends the same number of requests over as many connections without webhooks. */
async function bareRequests(url: string, body: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  let left = EVENTS
  const send = async () => {
    while (left-- > 0) {
      const sent = request(url, { method: 'POST', agent, headers }).end(body)
      const [response] = await once(sent, 'response')
      await once(response.resume(), 'end')
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  agent.destroy()
}

/** Starts a receiver in a separate process. */
async function startReceiver(): Promise<{ url: string; got(count: number): Promise<void>; stop(): void }> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'processes/receiver.mjs'))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    url: `http://127.0.0.1:${port}/`,
    async got(wanted) {
      for (let count = 0; count < wanted; await delay(LOOK_MS)) {
        child.send('count')
        ;[{ count }] = (await once(child, 'message')) as [{ count: number }]
      }
    },
    stop: () => child.disconnect(),
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  server.close()
  await once(server, 'close')
  return port
}
