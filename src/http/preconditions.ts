import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi'
import type { App } from '../app.ts'
import type { Actor } from '../auth/permissions.ts'
import { Parameters } from '../query/parameters.ts'
import type { RecordJson } from '../reads/record-json.ts'
import type { WriteOrigin } from '../records/hooks.ts'
import type { WriteOptions } from '../records/records.ts'
import { type Precondition, preconditionOf } from '../records/write-targets.ts'
import type { Random } from '../util/ids.ts'
import { sendDirectly } from './direct-response.ts'
import { type JsonAnswer, jsonResponse } from './json.ts'
import { actorOf, answerRequestId, modelKeyOf, queryOf, requestIdOf } from './request.ts'

/**
 * Responds with a record and its entity tag, `"<version>.<body>"`: the version of the stored record, and a digest of the body,
 * which also changes with nested records. `If-None-Match` compares both, `If-Match` the version.
 */
export function recordResponse(
  h: ResponseToolkit,
  record: RecordJson,
  answer: Omit<JsonAnswer, 'etag'> = {},
): Lifecycle.ReturnValue {
  return taggedResponse(h, `{"data":${record.text}}`, `"${record.version}.${record.digest}"`, answer)
}

/** Responds with JSON and its entity tag; 304 to a client that has it. */
export function taggedResponse(
  h: ResponseToolkit,
  body: string,
  tag: string,
  { status, location }: Omit<JsonAnswer, 'etag'> = {},
): Lifecycle.ReturnValue {
  const known = h.request.headers['if-none-match'] as string | undefined
  const unchanged = known !== undefined && ['get', 'head'].includes(h.request.method) && knowsTag(known, tag)
  if (unchanged) return unchangedResponse(h, tag, 'no-store', body)
  return jsonResponse(h, body, { status, location, etag: tag })
}

/**
 * Responds 304 to a client that has what a tag names.
 *
 * @param described the JSON of the answer 200, whose header fields the answer to HEAD has (RFC 9110, section 8.6)
 */
export function unchangedResponse(
  h: ResponseToolkit,
  tag: string,
  cacheControl: string,
  described?: string,
): Lifecycle.ReturnValue {
  if (sendDirectly(h.request, 304, ['etag', tag, 'cache-control', cacheControl], '')) return h.abandon
  const isDescribed = h.request.method === 'head' && described !== undefined
  const response = isDescribed ? h.response(described).type('application/json') : h.response()
  return response.code(304).header('ETag', tag).header('Cache-Control', cacheControl)
}

/** True if `If-None-Match` names the tag, or any; weak tags (RFC 9110, section 13.1.2) and tags of compressed responses count. */
export const knowsTag = (header: string, tag: string): boolean =>
  header.trim() === '*' ||
  header.split(',').some((each) => {
    const given = each.trim().replace(/^W\//, '')
    return given === tag || given.replace(COMPRESSED, '"') === tag
  })

/** The suffix by which Apache and Caddy tell a compressed answer from the other. */
const COMPRESSED = /-(?:gzip|br|zstd|deflate)"$/

/** The precondition of `If-Match` on the record's version; undefined if absent. */
export function ifMatch(request: Request): Precondition | undefined {
  const header = request.headers['if-match'] as string | undefined
  return header === undefined ? undefined : preconditionOf(header)
}

interface RequestedWrite {
  readonly actor: Actor
  /** The key of the model. */
  readonly model: string
  readonly options: WriteOptions & { readonly dryRun: boolean }
}

/**
 * Reads by whom and how a model is written: `dry_run`, whether code takes part, and the origin of the write for the history, the id of the request, which the
 * response then carries.
 *
 * @throws {AppError} INVALID_REQUEST
 */
export function writeOf(request: Request, { history, hasCode }: App, random: Random): RequestedWrite {
  const query = queryOf(request)
  const dryRun = query !== '' && isDryRun(query)
  const origin = (history.isOn && !dryRun) || hasCode ? originOf(request, random) : undefined
  return {
    actor: actorOf(request),
    model: modelKeyOf(request),
    options: { dryRun, origin, withoutCode: request.app.caller?.withoutCode },
  }
}

/** @throws {AppError} INVALID_REQUEST */
function isDryRun(query: string): boolean {
  const parameters = new Parameters(new URLSearchParams(query), ['dry_run'])
  const dryRun = parameters.flag('dry_run')
  parameters.throwIfFaulty()
  return dryRun
}

/** Identifies the request in the history, and tells what code of the project made it, if any did. */
export function originOf(request: Request, random: Random): WriteOrigin {
  const requestId = requestIdOf(request, random)
  answerRequestId(request)
  const { caller } = request.app
  if (caller === undefined || caller.via === 'cli' || caller.via === 'api') return { requestId }
  return { requestId, via: caller.via as WriteOrigin['via'], chain: caller.chain }
}
