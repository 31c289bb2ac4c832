import type { Ask, Target } from './load.ts'

/**
 * Asks once, and gives the body as it came.
 *
 * @throws {Error} when the answer is neither 200 nor 201
 */
export async function ask({ address, tokens: [token] }: Target, { method, path, body }: Ask): Promise<string> {
  // A kept connection may be closed by the other side while this one is busy with something else.
  const headers = { connection: 'close', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${address}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  if (response.ok) return text
  throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
}

/** Asks once for JSON of a known shape. */
export async function askJson<T>(target: Target, request: Ask): Promise<T> {
  return JSON.parse(await ask(target, request)) as T
}
