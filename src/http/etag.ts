import { createHash } from 'node:crypto'
import type { Request, ResponseObject } from '@hapi/hapi'
import type { Presented } from '../service/reads.ts'
import type { Precondition } from '../service/records.ts'

/**
 * Marks a record's response with its entity tag, `"<version>.<body>"`: the version of what is stored of the record, and a
 * digest of what is sent, which nested records change too. `If-None-Match` looks at both, `If-Match` at the version.
 */
export function withEtag(response: ResponseObject, { body, version }: Presented): ResponseObject {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 8)
  return response.etag(`${version}.${digest}`, { weak: false, vary: false })
}

/** What `If-Match` asks of the record's version (RFC 9110, section 13.1.1); undefined when it is absent. */
export function ifMatch(request: Request): Precondition | undefined {
  const header = request.headers['if-match'] as string | undefined
  if (header === undefined) return undefined
  if (header.trim() === '*') return () => true
  const versions = new Set([...header.matchAll(/"([^".]*)(?:\.[^"]*)?"/g)].map((match) => match[1]))
  return (version) => versions.has(version)
}
