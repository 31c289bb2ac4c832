import type { Plugin } from '@hapi/hapi'
import { AppError } from '../../errors.ts'
import { Parameters } from '../../query/parameters.ts'
import { queryOf } from '../request.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The route takes query parameters and judges them itself. */
    readsQuery?: boolean
  }
}

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'deflate'])

/** Refuses what would otherwise be ignored: query parameters on routes that take none, encodings of a body that nobody undoes. */
export const strictRequests: Plugin<object> = {
  name: 'strict-requests',
  register(server) {
    server.ext('onPreAuth', (request, h) => {
      const encoding = String(request.headers['content-encoding'] ?? 'identity').toLowerCase()
      if (ENCODINGS.has(encoding)) return h.continue
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', `A body cannot be encoded as '${encoding}'; use ${[...ENCODINGS].join(', ')}`)
    })
    server.ext('onPreHandler', (request, h) => {
      if (request.route.settings.plugins?.readsQuery !== true)
        new Parameters(new URLSearchParams(queryOf(request)), []).throwIfFaulty()
      return h.continue
    })
  },
}
