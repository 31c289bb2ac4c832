import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type RunningServer, startServer } from '../cli/process.ts'
import { type DatabaseProject, databaseProject, succeeded } from './cli-project.ts'
import { ownerOf } from './socket-owner.ts'

/** The time within which a process knows of a subscription that another one has created, and a margin. In milliseconds. */
export const KNOWN_MS = 2500

/** Time after which a test gives up waiting. */
const WAIT_SECONDS = 60

const FILES = {
  'admin.config.yaml': 'rate_limits: { default: 0 }\n',
  'models/tag.yaml': 'name: Tag\nlabel: Tags\nfields: [{ name: name, type: string, required: true }]\n',
}

/** A message as the receiver got it. */
export interface Delivered {
  readonly id: string
  /** Id of the record that the message tells of. */
  readonly record: number
  /** The name of the record. */
  readonly name: string
  /** The process that sent it. */
  readonly pid: number | undefined
  readonly at: number
}

/** Two processes of the real program that serve one database, and a receiver that takes its time. */
export interface TwoServers {
  readonly servers: readonly [RunningServer, RunningServer]
  readonly url: string
  readonly delivered: readonly Delivered[]
  /** The moments at which two processes were sending to the receiver at once. */
  readonly overlaps: readonly (readonly number[])[]
  /** Time that the receiver takes for an answer, in milliseconds. */
  delay: number
  request(server: RunningServer, method: string, path: string, body?: object): Promise<{ status: number; json: Json }>
  /** The headers of a request of a superuser. */
  readonly headers: Readonly<Record<string, string>>
  readonly project: DatabaseProject
  /** Waits until a condition holds, for a minute at most: the machine may be slow. */
  until(condition: () => boolean | Promise<boolean>, what: string): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes
type Json = any

/** @param options the address of the database, if another one than that of the tests' server; further files of the project */
export async function twoServers(
  body: (parts: TwoServers) => Promise<void>,
  options: { readonly url?: string; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const project = await databaseProject({ ...FILES, ...options.files }, options)
  const started: RunningServer[] = []
  const pids: number[] = []
  const delivered: Delivered[] = []
  const overlaps: (readonly number[])[] = []
  const sending = new Map<IncomingMessage, number>()
  const parts = { delay: 0 }
  const receiver = createServer((request, response) => void receive(request, response))
  async function receive(request: IncomingMessage, response: ServerResponse) {
    const at = performance.now()
    const pid = ownerOf(request.socket, pids)
    if (pid !== undefined) sending.set(request, pid)
    const senders = new Set(sending.values())
    if (senders.size > 1) overlaps.push([...senders])
    response.once('close', () => sending.delete(request))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    await setTimeout(parts.delay)
    const { data } = JSON.parse(Buffer.concat(chunks).toString())
    delivered.push({ id: String(request.headers['webhook-id']), record: data.id, name: data.name, pid, at })
    sending.delete(request)
    response.end()
  }
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  try {
    const start = async () => {
      const server = await startServer(['--project', project.folder.path], { env: project.env })
      started.push(server)
      pids.push(server.child.pid ?? 0)
      return server
    }
    const servers = [await start(), await start()] as const
    succeeded(await project.admin(['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin']))
    const authorization = `Bearer ${succeeded(await project.admin(['token'])).trim()}`
    const headers = { authorization, 'content-type': 'application/json' }
    await body(
      Object.assign(parts, {
        servers,
        url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        delivered,
        overlaps,
        headers,
        project,
        async request({ address }: RunningServer, method: string, path: string, sent?: object) {
          const reply = await fetch(`${address}/api/v1/${path}`, { method, headers, ...(sent && { body: JSON.stringify(sent) }) })
          const text = await reply.text()
          return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) }
        },
        async until(condition: () => boolean | Promise<boolean>, what: string) {
          const end = performance.now() + WAIT_SECONDS * 1000
          while (!(await condition())) {
            assert.ok(performance.now() < end, `Not within ${WAIT_SECONDS} s: ${what}`)
            await setTimeout(50)
          }
        },
      }),
    )
  } finally {
    for (const { child } of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    receiver.closeAllConnections()
    receiver.close()
    await project.remove()
  }
}
