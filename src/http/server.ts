import Hapi from '@hapi/hapi'
import type { App } from '../app.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { bearerAuthentication } from './plugins/authentication.ts'
import { errorBodies } from './plugins/errors.ts'
import { rateLimits } from './plugins/rate-limits.ts'
import { authRoutes } from './routes/auth.ts'
import { modelRoutes } from './routes/models.ts'
import { viewRoutes } from './routes/views.ts'

export interface ServerOptions {
  /** Told of every error that is our own fault, with the request's id. */
  readonly report: (requestId: string, error: unknown) => void
  readonly clock?: Clock
}

const EXPOSED_HEADERS = ['ETag', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy']

/** Puts an application on HTTP. The server is ready to be injected into; `start()` makes it listen. */
export async function createServer(app: App, { report, clock = systemClock }: ServerOptions): Promise<Hapi.Server> {
  const { settings } = app
  const cors = { origin: [...settings.cors], additionalHeaders: ['If-Match'], additionalExposedHeaders: EXPOSED_HEADERS }
  const server = Hapi.server({
    host: settings.host,
    port: settings.port,
    router: { stripTrailingSlash: true },
    debug: false,
    routes: {
      cors: settings.cors.length > 0 ? cors : false,
      payload: { maxBytes: settings.max_upload_bytes, allow: ['application/json'] },
    },
  })
  await server.register([
    { plugin: errorBodies, options: { validationStatus: settings.validation_status, clock, report } },
    { plugin: bearerAuthentication, options: { logins: app.logins } },
    { plugin: rateLimits, options: { settings, clock } },
  ])
  server.route([...modelRoutes(app), ...viewRoutes(app), ...authRoutes(app)])
  return server
}
