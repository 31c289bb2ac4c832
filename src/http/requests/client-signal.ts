import type { Request } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { AppError } from '../../errors.ts'
import type { ReadOptions } from '../../store/store.ts'

const NO_OPTIONS: ReadOptions = {}

/** Not sent, since the client has gone, and not logged. */
const GONE = 'The client closed the connection before it was answered'

/** Options that end the reads of a request when its client goes away. Reads in this process end by themselves sooner than a signal would be made. */
export function readOptionsOf(request: Request, app: Pick<App, 'isRemote'>): ReadOptions {
  return app.isRemote ? { signal: whileConnected(request) } : NO_OPTIONS
}

function whileConnected({ raw: { res } }: Request): AbortSignal {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new AppError('INVALID_REQUEST', GONE))
  })
  return controller.signal
}
