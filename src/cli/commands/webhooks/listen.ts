import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Command } from 'commander'
import { AppError } from '../../../errors.ts'
import { systemRandom } from '../../../util/ids.ts'
import { isSigned } from '../../../webhooks/message.ts'
import { makeSecret } from '../../../webhooks/signature.ts'
import { type ApiClient, withApi } from '../../api/api-client.ts'
import { type RemoteOptions, remoteOf, withRemoteOptions } from '../../api/remote.ts'
import type { Io } from '../../terminal/io.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { painter } from '../../terminal/style.ts'

type ListenOptions = RemoteOptions & { forwardTo?: string; events?: string; models?: string }

/** By this its subscriptions are known, should it be killed before it can remove its own. */
const PATH = '/admin-webhooks-listen'

/** What is passed on of a request. */
const FORWARDED = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-hub-signature-256', 'user-agent']

/** Only records that are larger make longer messages; what is longer is not shown to anybody. */
const MAX_BODY_BYTES = 1_048_576

/** `admin webhooks listen`: a receiver on this machine, subscribed for as long as it runs. */
export function listenCommand(io: Io): Command {
  return withRemoteOptions(new Command('listen').description('receive webhooks here, check their signatures and show them'))
    .option('--forward-to <url>', 'pass on what is signed, and answer with what is answered there')
    .option('--events <list>', 'create, update, delete (default: all)')
    .option('--models <list>', 'models to be told of (default: all)')
    .addHelpText('after', '\nExample:\n  $ admin webhooks listen --forward-to http://localhost:3000/hooks\n')
    .action((options: ListenOptions) =>
      withApi(io, options, async ({ app, request }) => {
        if (app !== undefined)
          throw new AppError('TASK_FAILED', 'No server runs that could deliver anything; start one: admin serve')
        const secret = makeSecret(systemRandom)
        const server = await receive(io, secret, options.forwardTo)
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
        try {
          // An address of a loopback is that of the machine on which its listener runs, of which a server elsewhere may have many.
          const stale = remoteOf(io, options) === undefined ? await leftBehind(request) : []
          for (const id of stale) {
            if (await unsubscribe(request, id)) io.stderr.write(`Removed webhook ${id}, which an earlier listen left behind\n`)
          }
          const [events, models] = [options.events?.split(','), options.models?.split(',')]
          const { data } = await request('POST', '/webhooks', { url, secret, events, models })
          const stop = io.stopRequested()
          try {
            io.stderr.write(`Receiving as webhook ${data.id}, signed with ${secret}; Ctrl-C ends it\n`)
            await stop
          } finally {
            await unsubscribe(request, data.id)
          }
        } finally {
          server.close()
          server.closeAllConnections()
        }
      }),
    )
}

/** Removes a subscription. @returns false when somebody else did so */
async function unsubscribe(request: ApiClient['request'], id: number): Promise<boolean> {
  try {
    await request('DELETE', `/webhooks/${id}`)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'RECORD_NOT_FOUND') return false
    throw error
  }
}

/** Subscriptions of listeners on this machine that are there no more. */
async function leftBehind(request: ApiClient['request']): Promise<number[]> {
  const { data } = await request('GET', '/webhooks?page_size=100')
  const ids: number[] = []
  for (const { id, url } of data as { id: number; url: string }[]) {
    const { hostname, port, pathname } = new URL(url)
    if (hostname === '127.0.0.1' && pathname === PATH && !(await isListenedOn(Number(port)))) ids.push(id)
  }
  return ids
}

/** True when somebody listens on a port of this machine. Nothing is sent there. */
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
  const show = (line: string) => io.stdout.write(`${line}\n`)
  const server = createServer((request, response) => {
    const receiveOne = async (): Promise<void> => {
      const body = await textOf(request)
      if (body === undefined) {
        show(paint('red', `A message of more than ${MAX_BODY_BYTES} bytes`))
        response.writeHead(413, { connection: 'close' }).end()
        return
      }
      const isGood = isSigned(body, secret)
      const message = isGood ? parsed(body) : undefined
      const [status, note] = await answerTo(request, body, isGood, forwardTo)
      response.writeHead(status).end()
      if (message === undefined) {
        // Anybody may have written it.
        show(paint('red', isGood ? 'NOT A MESSAGE' : 'SIGNATURE WRONG') + printable(note))
        return
      }
      const what = paint('bold', printable(`${message.event} ${message.model}`))
      const id = printable(`${request.headers['webhook-id']}`)
      show(`${printable(`${message.timestamp}`)} ${what} ${id} ${paint('green', 'signature good')}${printable(note)}`)
      show(printableJson(message.data))
    }
    receiveOne().catch((error: Error) => {
      show(paint('red', `A request that cannot be read: ${printable(error.message)}`))
      if (response.headersSent) response.destroy()
      else response.writeHead(400, { connection: 'close' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function answerTo(
  { headers }: IncomingMessage,
  body: string,
  isGood: boolean,
  forwardTo: string | undefined,
): Promise<[status: number, note: string]> {
  // What is behind this may trust whatever comes from here.
  if (!isGood) return [401, forwardTo === undefined ? '' : ', not passed on']
  if (forwardTo === undefined) return [204, '']
  const passedOn = FORWARDED.flatMap((name) =>
    typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
  )
  try {
    const { status } = await fetch(forwardTo, { method: 'POST', headers: passedOn, body, redirect: 'manual' })
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

/** The message in a body, if it is an object. */
function parsed(body: string): ShownMessage | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The body of a request; undefined when it is too long. Throws when the client goes away before its end. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  // Not destroyed when it is too long, since there is an answer yet to be sent on its connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}
