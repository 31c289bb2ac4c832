import { request } from 'node:http'

/** A request of a shape. */
export interface ShapeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Encoded path and query. */
  readonly path: string
  readonly body?: string | Buffer
  /** The media type of the body; JSON by default. */
  readonly type?: string
  readonly encoding?: 'gzip'
  /** The access token: `none` sends none, absent that of a superuser. */
  readonly token?: 'none' | 'powerless'
}

/** The server with the tokens of a superuser and of a user without permissions. */
export interface StallTarget {
  readonly address: string
  readonly superuser: string
  readonly powerless: string
}

/** A large or hostile use of the server, during which it must go on answering others. */
export interface Shape {
  /** Name for `--only`. */
  readonly key: string
  readonly name: string
  /** The statuses that are right. */
  readonly expects: readonly number[]
  /** The requests, which are sent at the same time. Runs before the measurement. */
  readonly requests: (target: StallTarget) => Promise<readonly ShapeRequest[]> | readonly ShapeRequest[]
}

export const shape = (key: string, name: string, expects: Shape['expects'], requests: Shape['requests']): Shape => ({
  key,
  name,
  expects,
  requests,
})

/** Path of the records of all models. */
export const API = '/api/v1/models'

export const get = (path: string): ShapeRequest => ({ method: 'GET', path })

/** @param body a value, or its JSON */
export const post = (path: string, body: unknown, token?: ShapeRequest['token']): ShapeRequest => ({
  ...{ method: 'POST', path, body: typeof body === 'string' ? body : JSON.stringify(body) },
  ...(token === undefined ? {} : { token }),
})

/** Stands for the status of a response that did not arrive: the server closed the connection while the request was sent. */
export const CLOSED = 0

/** Characters of a response that are kept for messages and for the preparation of a shape. */
const KEPT = 10_000

/** A response. */
export interface ShapeResponse {
  readonly status: number
  /** The first characters of the body. */
  readonly text: string
  /** From the first byte sent to the last byte received, in milliseconds. */
  readonly milliseconds: number
}

/** Sends a request and discards most of the response. A server may answer before it has read the body, and close the connection. */
export function send(target: StallTarget, { method, path, body, type, encoding, token }: ShapeRequest): Promise<ShapeResponse> {
  const authorization = token === 'none' ? undefined : `Bearer ${token === 'powerless' ? target.powerless : target.superuser}`
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    ...(body === undefined ? {} : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve, reject) => {
    const begin = performance.now()
    const milliseconds = () => performance.now() - begin
    const sent = request(target.address + path, { method, headers, agent: false }, (response) => {
      let text = ''
      const finish = () => resolve({ status: response.statusCode ?? 0, text, milliseconds: milliseconds() })
      response
        .on('data', (chunk: Buffer) => {
          if (text.length < KEPT) text += chunk.toString('latin1', 0, KEPT - text.length)
        })
        .on('end', finish)
        .on('error', finish)
    })
    const onError = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
      else resolve({ status: CLOSED, text: error.message, milliseconds: milliseconds() })
    }
    sent.on('error', onError).end(body)
  })
}

/**
 * Sends a request that prepares a shape.
 *
 * @throws {Error} if the status is not 2xx
 */
export async function prepare(target: StallTarget, request: ShapeRequest): Promise<ShapeResponse> {
  const response = await send(target, request)
  if (response.status >= 200 && response.status < 300) return response
  throw new Error(`${request.method} ${request.path} answered ${response.status}: ${response.text.slice(0, 500)}`)
}
