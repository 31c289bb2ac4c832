import Hapi from '@hapi/hapi'
import type { App } from '../app.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { type Random, systemRandom } from '../util/ids.ts'
import { bearerAuthentication } from './plugins/authentication.ts'
import { errorBodies } from './plugins/errors.ts'
import { RateLimits } from './rate-limits.ts'
import { authRoutes } from './routes/auth.ts'
import { modelRoutes } from './routes/models.ts'
import { viewRoutes } from './routes/views.ts'
import { strictRoutes } from './strict-routes.ts'

export interface ServerOptions {
  /** Told of every error that is our own fault, with the request's id. */
  readonly report: (requestId: string, error: unknown) => void
  readonly clock?: Clock
  readonly random?: Random
}

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy']
const EXPOSED_HEADERS = ['ETag', 'Location', 'Retry-After', ...RATE_HEADERS]

/** Puts an application on HTTP. The server is ready to be injected into; `start()` makes it listen. */
export async function createServer(
  app: App,
  { report, clock = systemClock, random = systemRandom }: ServerOptions,
): Promise<Hapi.Server> {
  const { settings } = app
  const cors = { origin: [...settings.cors], additionalHeaders: ['If-Match'], additionalExposedHeaders: EXPOSED_HEADERS }
  const server = Hapi.server({
    host: settings.host,
    port: settings.port,
    router: { stripTrailingSlash: true },
    debug: false,
    routes: {
      cors: settings.cors.length > 0 ? cors : false,
      // Cookies of whatever else runs on this host are none of our business, however malformed.
      state: { parse: false, failAction: 'ignore' },
      // `__proto__` is read as a key like any other, and then refused by name like any other unknown field.
      payload: { maxBytes: settings.max_upload_bytes, allow: ['application/json'], protoAction: 'ignore' },
    },
  })
  const limits = new RateLimits(settings, clock)
  await server.register([
    { plugin: errorBodies, options: { validationStatus: settings.validation_status, clock, random, report } },
    { plugin: bearerAuthentication, options: { logins: app.logins, limits } },
  ])
  server.route(strictRoutes([...modelRoutes(app), ...viewRoutes(app), ...authRoutes(app, limits)]))
  return server
}
