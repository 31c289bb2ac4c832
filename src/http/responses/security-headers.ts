import { ServerResponse } from 'node:http'

declare module 'node:http' {
  interface OutgoingMessage {
    /** Node's own: through it goes the head of every answer, whoever made it. Not part of its types. */
    _storeHeader(firstLine: string, headers: unknown): void
    /** Header lines that were added as text. */
    addedLines?: string
    /** What stands in the place of the head that every answer has. */
    ownHead?: string
  }
}

/** Of every answer. What is answered is data: nothing in it is to be run, framed, sniffed, or embedded by other sites. */
const FIXED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}

const headOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** The same, as they stand in an answer. */
export const FIXED_HEAD = headOf(FIXED_HEADERS)

/** Puts headers behind the status line, as text: setting the fixed ones by name costs each request 4 µs, this nothing to speak of. */
export class Response extends ServerResponse {
  /** Told when the head goes: what is answered is decided by then. */
  onHead: (() => void) | undefined
  /** Where it stands among those under way. */
  place = -1

  override _storeHeader(firstLine: string, headers: unknown): void {
    super._storeHeader(firstLine + (this.ownHead ?? FIXED_HEAD) + (this.addedLines ?? ''), headers)
    this.onHead?.()
  }
}

/**
 * Adds headers to whatever a request turns out to be answered with.
 *
 * @param lines each ends in CRLF; made of our own words and numbers, since nothing looks at them any more
 */
export function addHeaderLines(response: ServerResponse, lines: string): void {
  if (response instanceof Response) response.addedLines = (response.addedLines ?? '') + lines
  else {
    // Somebody else's listener, or an injected request.
    for (const [, name = '', value = ''] of lines.matchAll(/(.*?): (.*)\r\n/g)) response.setHeader(name, value)
  }
}

/** Lets an answer be more than data: a page, which may load what this policy says (CSP, https://www.w3.org/TR/CSP3). */
export function allowPage(response: ServerResponse, policy: string): void {
  if (response instanceof Response) response.ownHead = headOf({ ...FIXED_HEADERS, 'Content-Security-Policy': policy })
  else response.setHeader('Content-Security-Policy', policy)
}
