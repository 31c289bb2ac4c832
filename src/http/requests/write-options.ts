import type { Request } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { Parameters } from '../../query/parameters.ts'
import type { WriteOptions } from '../../service/records/records.ts'
import type { Random } from '../../util/ids.ts'
import { queryOf } from './request.ts'
import { answerRequestId, requestIdOf } from './request-id.ts'

/**
 * Reads `dry_run`, and the origin of a write for the history: the id of the request, which the response then carries.
 *
 * @throws {AppError} INVALID_REQUEST
 */
export function writeOptionsOf(request: Request, { history }: App, random: Random): WriteOptions & { readonly dryRun: boolean } {
  const query = queryOf(request)
  const dryRun = query !== '' && isDryRun(query)
  return { dryRun, origin: history.isOn && !dryRun ? originOf(request, random) : undefined }
}

/** @throws {AppError} INVALID_REQUEST */
function isDryRun(query: string): boolean {
  const parameters = new Parameters(new URLSearchParams(query), ['dry_run'])
  const dryRun = parameters.flag('dry_run')
  parameters.throwIfFaulty()
  return dryRun
}

/** Identifies the request in the history. */
export function originOf(request: Request, random: Random): { readonly requestId: string } {
  const requestId = requestIdOf(request, random)
  answerRequestId(request)
  return { requestId }
}
