import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockedAddress, type UrlGuard } from '../../webhooks/url-guard.ts'

/** Time limit of a request, from name resolution to the end of the response. In milliseconds. */
const TIMEOUT_MS = 10_000
/** Maximum size of a response: metadata and keys have some kilobytes. */
const MAX_BYTES = 524_288

interface FetchRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Sends a request, and reads its response. */
export type GuardedFetch = (url: string, request: FetchRequest) => Promise<Response>

/**
 * A `fetch` for servers whose addresses come from elsewhere: calls only what the guard of webhooks allows, follows no redirect, and has limits of
 * time and size.
 */
export const guardedFetch =
  (
    guard: UrlGuard,
    { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: { timeoutMs?: number; maxBytes?: number } = {},
  ): GuardedFetch =>
  async (address, { method, headers, body }) => {
    const url = new URL(address)
    const problem = guard.problemOf(url)
    if (problem !== undefined) throw new BlockedAddress(`${url.host} leads to ${problem}`)
    const content = body === undefined || body === null ? undefined : Buffer.from(String(body))
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const request = send(url, {
        method,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(content === undefined ? {} : { 'content-length': content.byteLength }),
        },
        agent: false,
        lookup: guard.lookup,
      })
      const fail = (error: Error) => {
        clearTimeout(timer)
        reject(error)
        request.destroy()
      }
      const timer = setTimeout(() => fail(new Error(`${url.host} did not answer within ${timeoutMs / 1000} seconds`)), timeoutMs)
      request.on('error', fail)
      let isAnswered = false
      request.on('close', () => {
        if (!isAnswered) fail(new Error(`${url.host} closed the connection without an answer`))
      })
      request.on('response', (response) => {
        isAnswered = true
        readAll(response, maxBytes)
          .then((bytes) => {
            const read = responseOf(response, bytes)
            clearTimeout(timer)
            resolve(read)
          })
          .catch(fail)
      })
      request.end(content)
    })
  }

async function readAll(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`A response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  if (!response.complete) throw new Error('A response was cut short')
  return Buffer.concat(chunks)
}

/** Statuses whose responses have no body (Fetch, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

function responseOf({ statusCode: status = 0, headers }: IncomingMessage, bytes: Buffer): Response {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'set-cookie' ? [] : [[name, String(value)] as [string, string]],
  )
  // A `Response` takes no other status.
  if (status < 200 || status > 599) throw new Error(`A response has the status ${status}, which HTTP does not have`)
  return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(bytes), { status, headers: fields })
}
