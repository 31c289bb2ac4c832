import { setTimeout } from 'node:timers/promises'
import Hapi from '@hapi/hapi'
import type { App } from '../app.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { type Random, systemRandom } from '../util/ids.ts'
import { ErrorReplies } from './error-replies.ts'
import { LoginLog } from './login-log.ts'
import { watch } from './operations.ts'
import { bearerAuthentication } from './plugins/authentication.ts'
import { RateLimits } from './rate-limits.ts'
import { authRoutes } from './routes/auth.ts'
import { modelRoutes } from './routes/models.ts'
import { viewRoutes } from './routes/views.ts'
import { strictRoutes } from './strict-routes.ts'

export interface ServerOptions {
  readonly clock?: Clock
  readonly random?: Random
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy']
const EXPOSED_HEADERS = ['ETag', 'Location', 'Retry-After', 'X-Request-Id', ...RATE_HEADERS]

/** Puts an application on HTTP. The server is ready to be injected into; `start()` makes it listen. */
export async function createServer(
  app: App,
  { clock = systemClock, random = systemRandom, wait = setTimeout }: ServerOptions = {},
): Promise<Hapi.Server> {
  const { settings, log } = app
  const cors = {
    origin: [...settings.cors],
    additionalHeaders: ['If-Match', 'X-Request-Id'],
    additionalExposedHeaders: EXPOSED_HEADERS,
  }
  const errors = new ErrorReplies({ validationStatus: settings.validation_status, clock, random, log })
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
      payload: {
        maxBytes: settings.max_upload_bytes,
        allow: ['application/json'],
        protoAction: 'ignore',
        failAction: errors.failAction,
      },
    },
  })
  const limits = new RateLimits(settings, clock)
  const logins = new LoginLog(log, settings.trusted_proxies, random)
  await server.register({ plugin: bearerAuthentication, options: { logins: app.logins, limits, errors } })
  // Of the routes registered here, of paths that lead nowhere, and of preflights.
  server.ext('onPreResponse', errors.onPreResponse, { sandbox: 'plugin' })
  server.route(strictRoutes([...viewRoutes(app), ...authRoutes(app, limits, logins)]))
  watch(server, app, { limits, random, wait })
  // In a plugin of its own, so that what most requests ask for is spared that extension.
  const register = (api: Hapi.Server) => api.route(strictRoutes(modelRoutes(app), errors.guard))
  await server.register({ name: 'models', register })
  return server
}
