import { createServer as createHttpServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import Hapi, { type Lifecycle } from '@hapi/hapi'
import type { App } from '../app.ts'
import { AppError } from '../errors.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { type Random, systemRandom } from '../util/ids.ts'
import { AdminPage } from './admin-page.ts'
import { apiDocument, modelRoutes, ROUTES } from './api.ts'
import { type DeclareRoutes, type Replace, routeSource, type ServerParts, serverRoutes } from './api-route.ts'
import { bearerAuthentication, LoginLog } from './authentication.ts'
import { ErrorResponses } from './error-responses.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from './listener.ts'
import { addMonitoring } from './monitoring.ts'
import { RefusedOrigins } from './origins.ts'
import { apiRoots } from './paths.ts'
import type { ProcessFaults } from './process-faults.ts'
import { RateLimits } from './rate-limits.ts'
import { adminPageRoutes, BUILD_REMEDY, docsRoutes, homeRoutes } from './routes/pages.ts'
import { strictRoutes } from './strict-routes.ts'
import { UploadGate } from './upload-gate.ts'

export interface ServerOptions {
  readonly clock?: Clock
  readonly random?: Random
  /** Replaces the application; without it, requests for that are rejected. */
  readonly replace?: Replace
  readonly wait?: (milliseconds: number) => Promise<unknown>
  /** The folder that the admin page was built into. Without it there is no page. */
  readonly ui?: string
  /** Of the connections that the requests arrive on. */
  readonly connections?: ConnectionLimits
  /** Faults of the process, where it has a server of its own. */
  readonly faults?: ProcessFaults
}

declare module '@hapi/hapi' {
  interface ServerApplicationState {
    /** The path of the admin page; undefined if it is turned off or was not built. */
    page?: string
  }
}

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy']
const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'Retry-After',
  'Search-Missing',
  'X-Request-Id',
  ...RATE_HEADERS,
]

const refused: Replace = async () => {
  throw new AppError('INVALID_REQUEST', 'The data can only be replaced beneath a server that listens')
}

/** Creates the hapi server of an application. It never listens itself: a `Listener` passes it the requests. */
export async function createServer(
  app: App,
  {
    clock = systemClock,
    random = systemRandom,
    wait = setTimeout,
    replace = refused,
    ui,
    connections = CONNECTION_LIMITS,
    faults,
  }: ServerOptions = {},
): Promise<Hapi.Server> {
  const { settings, log } = app
  const cors = {
    origin: [...settings.cors],
    additionalHeaders: ['If-Match', 'If-Range', 'Last-Event-ID', 'Range', 'X-Request-Id'],
    additionalExposedHeaders: EXPOSED_HEADERS,
  }
  const errors = new ErrorResponses({ validationStatus: settings.validation_status, clock, random, log })
  const server = Hapi.server({
    listener: createHttpServer(),
    autoListen: false,
    host: settings.host,
    // Connections outlive the application, so the listener ends them.
    operations: { cleanStop: false },
    router: { stripTrailingSlash: true },
    debug: false,
    // A compressed stream would reach the client late.
    mime: { override: { 'text/event-stream': { compressible: false } } },
    routes: {
      cors: settings.cors.length > 0 ? cors : false,
      // Proxies and browsers must not store records and tokens (RFC 9111, section 5.2.2.5). Clients may still revalidate by ETag.
      cache: { otherwise: 'no-store' },
      // Those of files are read by `byteRange`.
      response: { ranges: false },
      // Cookies of other programs on this host are ignored, however malformed. `RefreshCookie` reads the only one that is used.
      state: { parse: false, failAction: 'ignore' },
      // `readBody` reads bodies; hapi would wait for all of a body that is too large, or cut the connection.
      payload: {
        parse: false,
        output: 'stream',
        maxBytes: Number.MAX_SAFE_INTEGER,
        allow: ['application/json'],
        failAction: errors.failAction,
      },
    },
  })
  const limits = new RateLimits(settings, clock, app.sharedLimits)
  const logins = new LoginLog(log, settings.trusted_proxies, random)
  await server.register({
    plugin: bearerAuthentication,
    options: { logins: app.logins, access: app.project.access, limits, errors, connections },
  })
  // For the routes registered here, unknown paths and preflights.
  server.ext('onPreResponse', errors.onPreResponse, { sandbox: 'plugin' })
  if (settings.cors.length > 0) server.ext('onPreResponse', varyPreflight, { sandbox: 'plugin' })
  if (ui !== undefined && settings.ui.enabled) await addPage(server, app, ui)
  server.route(strictRoutes(homeRoutes(settings, server.app.page), 0))
  server.route(strictRoutes(docsRoutes(settings), 0))
  const origins = new RefusedOrigins(settings, log, clock)
  server.events.on('response', (request) => origins.note(request))
  let document: string | undefined
  const parts: ServerParts = {
    ...{ random, limits, logins, connections, replace },
    uploadGate: new UploadGate(),
    monitoring: addMonitoring(server, app, { random, wait, faults }),
    // Most servers never need it.
    document: () => (document ??= JSON.stringify(apiDocument(app.project))),
  }
  const source = routeSource(app.project)
  const routesOf = (declare: DeclareRoutes) => serverRoutes(declare, source, app, parts)
  const { max_upload_bytes: maxBodyBytes } = settings
  const others = ROUTES.filter((declare) => declare !== modelRoutes)
  server.route(strictRoutes(others.flatMap(routesOf), maxBodyBytes))
  // A plugin of its own keeps that extension away from the routes of most requests.
  const register = (api: Hapi.Server) => api.route(strictRoutes(routesOf(modelRoutes), maxBodyBytes, errors.guard))
  await server.register({ name: 'models', register })
  return server
}

/** Adds the admin page. If it was not built, its paths say so. */
async function addPage(server: Hapi.Server, { settings, log }: App, folder: string): Promise<void> {
  const page = await AdminPage.open(folder, settings)
  if (page === undefined) log.warn(`The admin page was not built into ${folder}; ${BUILD_REMEDY}`)
  else server.app.page = apiRoots(settings).page
  server.route(strictRoutes(adminPageRoutes(settings, page), 0))
}

/** The response to a preflight depends on its origin; hapi adds `Vary` to all other responses. */
const varyPreflight: Lifecycle.Method = ({ method, response }, h) => {
  if (method === 'options' && !('isBoom' in response)) response.vary('Origin')
  return h.continue
}
