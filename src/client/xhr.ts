/** A request whose progress is told. */
interface ToldRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: Blob | FormData
  readonly signal: AbortSignal | undefined
  readonly onProgress: (sent: number, total: number) => void
}

/** The part of XMLHttpRequest that is used. */
interface Xhr {
  readonly upload: { onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null }
  readonly status: number
  readonly statusText: string
  readonly responseText: string
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: Blob | FormData): void
  abort(): void
}

/** XMLHttpRequest, which browsers have; undefined elsewhere. */
export const platformXhr = (): (new () => Xhr) | undefined => (globalThis as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest

/** Sends a request by XMLHttpRequest, since `fetch` tells no progress. @throws {TypeError} without a response, as `fetch` does */
export function sendByXhr(
  Request: new () => Xhr,
  { url, method, headers, body, signal, onProgress }: ToldRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new Request()
    const abort = () => xhr.abort()
    const settle = (end: () => void) => () => {
      signal?.removeEventListener('abort', abort)
      end()
    }
    xhr.open(method, url)
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value)
    })
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    xhr.onload = settle(() =>
      resolve(new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers: headersOf(xhr) })),
    )
    xhr.onerror = settle(() => reject(new TypeError('Failed to fetch')))
    xhr.onabort = settle(() => reject(signal?.reason))
    signal?.addEventListener('abort', abort)
    if (signal?.aborted === true) reject(signal.reason)
    else xhr.send(body)
  })
}

function headersOf(xhr: Xhr): Headers {
  const headers = new Headers()
  for (const line of xhr.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return headers
}
