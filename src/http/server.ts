import { setTimeout } from 'node:timers/promises'
import Hapi, { type Lifecycle } from '@hapi/hapi'
import type { App } from '../app.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { type Random, systemRandom } from '../util/ids.ts'
import { type ConnectionLimits, createListener, type Listener } from './connections/listener.ts'
import { refuseBadRequests } from './connections/malformed-requests.ts'
import { watch } from './metrics/monitoring.ts'
import { bearerAuthentication } from './plugins/authentication.ts'
import { LoginLog } from './plugins/login-log.ts'
import { RateLimits } from './requests/rate-limits.ts'
import { strictRoutes } from './requests/strict-routes.ts'
import { ErrorResponses } from './responses/error-responses.ts'
import { authRoutes } from './routes/auth.ts'
import { dataRoutes, type Replace } from './routes/data.ts'
import { descriptionRoutes } from './routes/description.ts'
import { mockDataRoutes } from './routes/mock-data.ts'
import { modelRoutes } from './routes/models.ts'
import { transferRoutes } from './routes/transfer.ts'
import { viewRoutes } from './routes/views.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export interface ServerOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly connections?: ConnectionLimits
  /** One that listens already; otherwise one of its own is made, with these `connections`. */
  readonly listener?: Listener | undefined
  /** Puts another application in the place of this one; without it that is refused. */
  readonly replace?: Replace
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

/** Nobody's name, password or token is longer; whoever sends it is not known yet. */
const MAX_LOGIN_BYTES = 65_536

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy']
const EXPOSED_HEADERS = ['Content-Disposition', 'ETag', 'Location', 'Retry-After', 'X-Request-Id', ...RATE_HEADERS]

/** Puts an application on HTTP. The server is ready to be injected into; `start()` makes it listen. */
export async function createServer(
  app: App,
  { clock = systemClock, random = systemRandom, wait = setTimeout, connections, listener: taken, replace }: ServerOptions = {},
): Promise<Hapi.Server> {
  const { settings, log } = app
  const cors = {
    origin: [...settings.cors],
    additionalHeaders: ['If-Match', 'X-Request-Id'],
    additionalExposedHeaders: EXPOSED_HEADERS,
  }
  const errors = new ErrorResponses({ validationStatus: settings.validation_status, clock, random, log })
  const listener = taken ?? createListener(app.traffic, connections)
  listener.traffic = app.traffic
  const server = Hapi.server({
    listener,
    host: settings.host,
    ...(taken === undefined ? { port: settings.port } : { autoListen: false }),
    // Connections outlive the application, so they are the listener's.
    operations: { cleanStop: false },
    router: { stripTrailingSlash: true },
    debug: false,
    routes: {
      cors: settings.cors.length > 0 ? cors : false,
      // Records and tokens are to be kept by nobody on the way, nor by a browser (RFC 9111, section 5.2.2.5). A client that keeps
      // them itself revalidates by their ETag all the same.
      cache: { otherwise: 'no-store' },
      // Nobody asks for half of a record.
      response: { ranges: false },
      // Cookies of whatever else runs on this host are none of our business, however malformed.
      state: { parse: false, failAction: 'ignore' },
      // Bodies are left to `readBody`; hapi would first wait for all of one that is too large, or cut the connection.
      payload: {
        parse: false,
        output: 'stream',
        maxBytes: Number.MAX_SAFE_INTEGER,
        allow: ['application/json'],
        failAction: errors.failAction,
      },
    },
  })
  refuseBadRequests(listener)
  const limits = new RateLimits(settings, clock)
  const logins = new LoginLog(log, settings.trusted_proxies, random)
  await server.register({ plugin: bearerAuthentication, options: { logins: app.logins, limits, errors } })
  // Of the routes registered here, of paths that lead nowhere, and of preflights.
  server.ext('onPreResponse', errors.onPreResponse, { sandbox: 'plugin' })
  if (settings.cors.length > 0) server.ext('onPreResponse', varyPreflight, { sandbox: 'plugin' })
  server.route(strictRoutes(viewRoutes(app), 0))
  server.route(strictRoutes(descriptionRoutes(app), 0))
  server.route(strictRoutes(authRoutes(app, limits, logins), Math.min(MAX_LOGIN_BYTES, settings.max_upload_bytes)))
  server.route(strictRoutes(mockDataRoutes(app, limits), settings.max_upload_bytes))
  server.route(strictRoutes(webhookRoutes(app), settings.max_upload_bytes))
  server.route(strictRoutes(dataRoutes(app, replace), settings.max_upload_bytes))
  watch(server, app, { limits, random, wait })
  // In a plugin of its own, so that what most requests ask for is spared that extension.
  const routes = [...modelRoutes(app), ...transferRoutes(app)]
  const register = (api: Hapi.Server) => api.route(strictRoutes(routes, settings.max_upload_bytes, errors.guard))
  await server.register({ name: 'models', register })
  return server
}

/** What a preflight is answered depends on who asks; hapi says so of all other answers. */
const varyPreflight: Lifecycle.Method = ({ method, response }, h) => {
  if (method === 'options' && !('isBoom' in response)) response.vary('Origin')
  return h.continue
}
