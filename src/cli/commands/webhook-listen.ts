import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { systemRandom } from '../../util/ids.ts'
import { isSigned } from '../../webhooks/message.ts'
import { makeSecret } from '../../webhooks/signature.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type ProjectOptions, withProjectOptions } from '../project-options.ts'
import { painter } from '../style.ts'

type ListenOptions = ProjectOptions & { forwardTo?: string; events?: string; models?: string }

/** What is passed on of a request. */
const FORWARDED = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-hub-signature-256', 'user-agent']

/** `admin webhooks listen`: a receiver on this machine, subscribed for as long as it runs. */
export function listenCommand(io: Io): Command {
  return withProjectOptions(new Command('listen').description('receive webhooks here, check their signatures and show them'))
    .option('--forward-to <url>', 'pass them on, and answer with what is answered there')
    .option('--events <list>', 'create, update, delete (default: all)')
    .option('--models <list>', 'models to be told of (default: all)')
    .addHelpText('after', '\nExample:\n  $ admin webhooks listen --forward-to http://localhost:3000/hooks\n')
    .action((options: ListenOptions) =>
      withApi(io, options, async ({ app, request }) => {
        if (app !== undefined)
          throw new AppError('TASK_FAILED', 'No server runs that could deliver anything; start one: admin serve')
        const secret = makeSecret(systemRandom)
        const server = await receive(io, secret, options.forwardTo)
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        try {
          const [events, models] = [options.events?.split(','), options.models?.split(',')]
          const { data } = await request('POST', '/webhooks', { url, secret, events, models })
          const stop = io.stopRequested()
          try {
            io.stderr.write(`Receiving as webhook ${data.id}, signed with ${secret}; Ctrl-C ends it\n`)
            await stop
          } finally {
            await request('DELETE', `/webhooks/${data.id}`)
          }
        } finally {
          server.close()
          server.closeAllConnections()
        }
      }),
    )
}

async function receive(io: Io, secret: string, forwardTo: string | undefined): Promise<Server> {
  const paint = painter(io.stdout, io.env)
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const isGood = isSigned(body, secret)
    const { event, model, data, timestamp } = parsed(body)
    const signed = isGood ? paint('green', 'signature good') : paint('red', 'SIGNATURE WRONG')
    const [status, note] = await answerTo(request, body, isGood, forwardTo)
    response.writeHead(status).end()
    io.stdout.write(
      `${timestamp} ${paint('bold', `${event} ${model}`)} ${String(request.headers['webhook-id'])} ${signed}${note}\n`,
    )
    io.stdout.write(`${JSON.stringify(data, null, 2)}\n`)
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
  if (forwardTo === undefined) return [isGood ? 204 : 401, '']
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

function parsed(body: string): { event?: unknown; model?: unknown; data?: unknown; timestamp?: unknown } {
  try {
    return JSON.parse(body)
  } catch {
    return { data: body }
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
