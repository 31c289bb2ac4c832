import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Request } from '@hapi/hapi'
import { AppError } from '../errors.ts'
import { UploadDeadline } from './body-deadlines.ts'
import type { ConnectionLimits } from './listener.ts'
import { MULTIPART } from './multipart.ts'
import { mediaTypeOf } from './request.ts'
import { Response } from './response.ts'

/** Number of bytes that are read ahead of their reader. */
const AHEAD = 131_072

/** Of a form beside its files, in bytes. */
const FORM_OVERHEAD = 1_048_576

/** Maximum number of files of a form. */
export const MAX_FORM_FILES = 20

/** Maximum size of a form with files, in bytes. */
export const maxFormBytes = (maxFileBytes: number): number => MAX_FORM_FILES * maxFileBytes + FORM_OVERHEAD

/** True for a request with a form, on routes that take forms. */
export const isForm = ({ headers, route }: Request): boolean =>
  route.settings.plugins?.streamsBody === 'forms' && mediaTypeOf(headers['content-type'] as string | undefined) === MULTIPART

/** True for a request whose handler reads the body as a stream. */
export const isUpload = (request: Request): boolean => request.route.settings.plugins?.streamsBody === true || isForm(request)

/** Prepares the response to an upload, before it is known whether it is refused. */
export function expectUpload({ raw: { res } }: Request, limits: ConnectionLimits): void {
  // A request that is injected comes from no connection.
  if (res instanceof Response) res.expectUpload(limits)
}

/**
 * Begins to read the body of an upload that is admitted: from here on its client is asked to send it, and has the deadline of uploads.
 *
 * The stream has back-pressure, and ends only if the body has arrived whole. Destroying it leaves the connection open for the response.
 *
 * @param maxBytes beyond it, the stream fails with PAYLOAD_TOO_LARGE
 * @throws {AppError} PAYLOAD_TOO_LARGE by the Content-Length
 */
export function streamedBody({ raw: { req, res } }: Request, limits: ConnectionLimits, maxBytes: number): Readable {
  if (Number(req.headers['content-length']) > maxBytes) throw tooLarge()
  if (res instanceof Response) {
    res.deadline = new UploadDeadline(limits, performance.now(), req.socket.bytesRead)
    res.sendContinue()
  }
  return bodyStream(req, maxBytes)
}

function bodyStream(sent: IncomingMessage, maxBytes: number): Readable {
  let size = 0
  const leave = () => sent.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
  const body = new Readable({
    highWaterMark: AHEAD,
    read: () => void sent.resume(),
    destroy(error, callback) {
      leave()
      // What has not arrived waits for the response, which decides about it.
      if (!sent.readableEnded) sent.on('error', () => {}).pause()
      callback(error)
    },
  })
  function onData(chunk: Buffer): void {
    size += chunk.length
    if (size > maxBytes) body.destroy(tooLarge())
    else if (!body.push(chunk)) sent.pause()
  }
  function onEnd(): void {
    leave()
    body.push(null)
  }
  function onCut(cause?: unknown): void {
    body.destroy(endedEarly(cause))
  }
  if (sent.destroyed) onCut()
  else sent.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  return body
}

const endedEarly = (cause?: unknown): AppError => new AppError('INVALID_REQUEST', 'The request body ended early', { cause })
const tooLarge = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than the files that the field takes')
