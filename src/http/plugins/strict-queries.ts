import type { Plugin } from '@hapi/hapi'
import { Parameters } from '../../query/parameters.ts'
import { queryOf } from '../request.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The route takes query parameters and judges them itself. */
    readsQuery?: boolean
  }
}

/** Refuses query parameters on routes that take none: nothing that a client says is ignored. */
export const strictQueries: Plugin<object> = {
  name: 'strict-queries',
  register(server) {
    server.ext('onPreHandler', (request, h) => {
      if (request.route.settings.plugins?.readsQuery !== true) new Parameters(queryOf(request), []).throwIfFaulty()
      return h.continue
    })
  },
}
