import type { Ask, Target } from './load.ts'

/**
 * Sends one request and returns the text of the response body.
 *
 * @throws {Error} if the status is not 2xx
 */
export async function ask({ address, tokens: [token] }: Target, { method, path, body }: Ask): Promise<string> {
  // The server may close an idle keep-alive connection while this process is busy.
  const headers = { connection: 'close', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${address}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  if (response.ok) return text
  throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
}

/** Sends one request and parses the JSON of the response, whose shape the caller knows. */
export async function askJson<T>(target: Target, request: Ask): Promise<T> {
  return JSON.parse(await ask(target, request)) as T
}
