import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import type { EventSink } from '../../events/event-streams.ts'
import { Parameters } from '../../query/parameters.ts'
import { tokenIn } from '../authentication.ts'
import { jsonResponse } from '../json.ts'
import { apiRoots } from '../paths.ts'
import { actorOf, queryOf } from '../request.ts'

/** Server-Sent Events of changes (WHATWG HTML, section 9.2). */
export function eventRoutes({ settings, events }: App): ServerRoute[] {
  const options = { auth: 'bearer', plugins: { limitsUsers: true, readsQuery: true, isStream: true } }

  const stream = async (request: Request, h: ResponseToolkit) => {
    const parameters = new Parameters(new URLSearchParams(queryOf(request)), ['models'])
    const models = parameters.names('models')
    parameters.throwIfFaulty()
    const { authorization, 'last-event-id': lastEventId } = request.headers as Readonly<Record<string, string | undefined>>
    const readable = new Readable({ read() {} })
    const isHead = request.method === 'head'
    const close = await events.open({ token: tokenIn(authorization), models, lastEventId }, () =>
      sinkOf(readable, request.raw.res),
    )
    readable.once('close', close)
    request.raw.res.once('close', close)
    // HEAD has no body, so the stream would never be read.
    if (isHead) close()
    return (
      h
        .response(isHead ? '' : readable)
        .type('text/event-stream')
        .header('X-Accel-Buffering', 'no')
        // After the stream the server closes the connection itself, and does not wait for the client.
        .header('Connection', 'close')
    )
  }

  return [{ method: 'GET', path: apiRoots(settings).events, handler: stream, options }]
}

/** Writes to a stream in memory, from which the connection reads. */
const sinkOf = (readable: Readable, response: ServerResponse): EventSink => ({
  write: (text) => void readable.push(text),
  get backlog() {
    return readable.readableLength + response.writableLength
  },
  end: () => void readable.push(null),
  destroy() {
    readable.destroy()
    // hapi ends the response of a destroyed stream, which waits for a client that does not read.
    response.destroy()
  },
})

/** The history of all records, for superusers. That of one record is among its own routes. */
export function historyRoutes({ settings, history }: App): ServerRoute[] {
  const options = { auth: 'bearer', plugins: { limitsUsers: true, readsQuery: true } }

  const list = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await history.all(actorOf(request), queryOf(request)))

  return [{ method: 'GET', path: apiRoots(settings).history, handler: list, options }]
}
