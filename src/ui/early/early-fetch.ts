import { type EarlyResponses, earlyKey } from './early-requests.ts'

/** `fetch` for the client: the first call for a request that was sent early receives its response. */
export function earlyFetch(responses: EarlyResponses = new Map()): typeof fetch {
  return (input, init) => {
    const send = () => globalThis.fetch(input, init)
    const key = earlyKey(init?.method ?? 'GET', String(input))
    const response = responses.get(key)
    responses.delete(key)
    // The page repeats a request that could not be sent.
    return response === undefined ? send() : response.catch(send)
  }
}
