import type { Request, Server } from '@hapi/hapi'
import type { App } from '../app.ts'
import type { Log } from '../log/log.ts'
import type { Random } from '../util/ids.ts'
import type { RateLimits } from './rate-limits.ts'
import { requestIdOf } from './request.ts'
import { operationsRoutes } from './routes/operations.ts'
import { strictRoutes } from './strict-routes.ts'
import { millisecondsOf, routeNameOf, statusOf, Traffic } from './traffic.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The response is a stream that lasts. */
    isStream?: boolean
  }
}

export interface MonitoringOptions {
  readonly limits: RateLimits
  readonly random: Random
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** Adds monitoring to a server: request counters, the debug log, and the endpoints for health and metrics. */
export function addMonitoring(server: Server, app: App, { limits, random, wait }: MonitoringOptions): void {
  const traffic = new Traffic()
  let stopping = false
  server.events.on('response', (request) => {
    // A stream lasts as long as its client likes, which says nothing of the server.
    if (request.route.settings.plugins?.isStream !== true) traffic.count(request)
  })
  // Only at level `debug`: a log line costs more than many a response.
  if (app.log.debugs) server.events.on('response', (request) => logRequest(request, app.log, random))
  server.ext('onPreStop', async () => {
    stopping = true
    // Readiness turns negative before the listener closes, so that load balancers stop sending requests.
    const { stop_delay_seconds: delay } = app.settings
    if (delay > 0) await wait(delay * 1000)
  })
  server.route(strictRoutes(operationsRoutes(app, { traffic, limits, isStopping: () => stopping }), 0))
}

/** The route's template without parameter values and query, which may contain secrets. */
function logRequest(request: Request, log: Log, random: Random): void {
  const { method, route } = routeNameOf(request.route)
  const status = statusOf(request)
  const userId = request.auth.credentials?.app?.actor.userId
  log.debug(`${method} ${route} ${status}`, {
    method,
    route,
    status,
    ms: millisecondsOf(request.info),
    ...(userId === undefined ? {} : { user_id: userId }),
    request_id: requestIdOf(request, random),
  })
}
