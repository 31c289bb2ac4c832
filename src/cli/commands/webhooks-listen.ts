import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Command } from 'commander'
import { AdminError, type Client } from '../../client/client.ts'
import { systemRandom } from '../../util/ids.ts'
import { printable, printableJson } from '../../util/text.ts'
import { generateSecret, hasValidSignature } from '../../webhooks/messages.ts'
import { onServer } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type RemoteOptions, remoteOf, withRemoteOptions } from '../remote.ts'
import { painter } from '../style.ts'
import { allSubscriptions } from './webhooks-deliveries.ts'

type ListenOptions = RemoteOptions & { forwardTo?: string; events?: string; models?: string }

/** Identifies subscriptions of this command, so that a later run can remove the subscriptions of a killed run. */
const PATH = '/admin-webhooks-listen'

/** Request headers that are forwarded. */
const FORWARDED = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-hub-signature-256', 'user-agent']

/** Maximum size of a message; only larger records cause larger messages. Longer ones are rejected with 413. */
const MAX_BODY_BYTES = 1_048_576

/** `admin webhooks listen`: runs a receiver on this machine, subscribed while it runs. */
export function listenCommand(io: Io): Command {
  return withRemoteOptions(
    new Command('listen').description('receive webhooks on this machine, verify their signatures and print them'),
  )
    .option('--forward-to <url>', 'forward messages with a valid signature, and respond with the status received there')
    .option('--events <list>', 'events to receive, separated by commas: create, update, delete (default: all)')
    .option('--models <list>', 'models to receive events of, separated by commas (default: all)')
    .addHelpText('after', '\nExample:\n  $ admin webhooks listen --forward-to http://localhost:3000/hooks\n')
    .action((options: ListenOptions) => onServer(io, options, 'to send deliveries', (client) => listen(io, options, client)))
}

async function listen(io: Io, options: ListenOptions, client: Client): Promise<void> {
  const secret = generateSecret(systemRandom)
  const server = await receive(io, secret, options.forwardTo)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
  try {
    // A loopback URL in a remote server's subscriptions may belong to another machine, so stale ones are not removed there.
    const stale = remoteOf(io, options) === undefined ? await staleSubscriptions(client) : []
    for (const id of stale) {
      if (await unsubscribe(client, id)) io.stderr.write(`Removed webhook ${id} of an earlier listen command\n`)
    }
    const [events, models] = [options.events?.split(','), options.models?.split(',')]
    const body = { url, secret, events, models }
    const { data } = (await client.request('/webhooks', { method: 'POST', body })) as { data: { id: number } }
    const stop = io.stopRequested()
    try {
      io.stderr.write(`Receiving as webhook ${data.id}, signed with ${secret}; stop with Ctrl-C\n`)
      await stop
    } finally {
      await unsubscribe(client, data.id)
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Removes a subscription. @returns false if it does not exist any more */
async function unsubscribe(client: Client, id: number): Promise<boolean> {
  try {
    await client.request(`/webhooks/${id}`, { method: 'DELETE' })
    return true
  } catch (error) {
    if (error instanceof AdminError && error.type === 'not_found') return false
    throw error
  }
}

/** Ids of subscriptions whose listen command on this machine does not run any more. */
async function staleSubscriptions(client: Client): Promise<number[]> {
  const ids: number[] = []
  for (const { id, url } of await allSubscriptions<{ id: number; url: string }>(client)) {
    const { hostname, port, pathname } = new URL(url)
    if (hostname === '127.0.0.1' && pathname === PATH && !(await isListenedOn(Number(port)))) ids.push(id)
  }
  return ids
}

/** True if a process listens on a port of this machine. Connects without sending data. */
async function isListenedOn(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function receive(io: Io, secret: string, forwardTo: string | undefined): Promise<Server> {
  const paint = painter(io.stdout, io.env)
  const print = (line: string) => io.stdout.write(`${line}\n`)
  const server = createServer((request, response) => {
    const receiveOne = async (): Promise<void> => {
      const body = await textOf(request)
      if (body === undefined) {
        print(paint('red', `Rejected a message of more than ${MAX_BODY_BYTES} bytes`))
        response.writeHead(413, { connection: 'close' }).end()
        return
      }
      const isValid = hasValidSignature(body, secret)
      const message = isValid ? parsed(body) : undefined
      const [status, note] = await forward(request, body, isValid, forwardTo)
      response.writeHead(status).end()
      if (message === undefined) {
        // The body is not printed: without a valid signature, any process may have sent it.
        print(paint('red', isValid ? 'NOT A MESSAGE' : 'INVALID SIGNATURE') + printable(note))
        return
      }
      const event = paint('bold', printable(`${message.event} ${message.model}`))
      const id = printable(`${request.headers['webhook-id']}`)
      print(`${printable(`${message.timestamp}`)} ${event} ${id} ${paint('green', 'signature valid')}${printable(note)}`)
      print(printableJson(message.data))
    }
    receiveOne().catch((error: Error) => {
      print(paint('red', `A request could not be read: ${printable(error.message)}`))
      if (response.headersSent) response.destroy()
      else response.writeHead(400, { connection: 'close' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Forwards a message if its signature is valid. @returns the status to respond with, and a note for the output */
async function forward(
  { headers }: IncomingMessage,
  body: string,
  isValid: boolean,
  forwardTo: string | undefined,
): Promise<[status: number, note: string]> {
  // The target may trust all requests from this machine, so unsigned messages are not forwarded.
  if (!isValid) return [401, forwardTo === undefined ? '' : ', not forwarded']
  if (forwardTo === undefined) return [204, '']
  const forwarded = FORWARDED.flatMap((name) =>
    typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
  )
  try {
    const { status } = await fetch(forwardTo, { method: 'POST', headers: forwarded, body, redirect: 'manual' })
    return [status, ` → ${status}`]
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    return [502, ` → ${forwardTo} cannot be reached: ${cause instanceof Error ? cause.message : String(error)}`]
  }
}

interface ShownMessage {
  readonly event?: unknown
  readonly model?: unknown
  readonly data?: unknown
  readonly timestamp?: unknown
}

/** Parses a message; undefined if it is not a JSON object. */
function parsed(body: string): ShownMessage | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads the body of a request; undefined if it is too long. Throws when the client disconnects early. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  // The request is not destroyed on return, since the response 413 is still to be sent on its connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}
