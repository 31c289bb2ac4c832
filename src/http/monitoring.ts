import type { Request, Server } from '@hapi/hapi'
import type { App } from '../app.ts'
import type { Log } from '../log/log.ts'
import type { Random } from '../util/ids.ts'
import type { ProcessFaults } from './process-faults.ts'
import { requestIdOf } from './request.ts'
import { millisecondsOf, routeNameOf, statusOf, Traffic } from './traffic.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The response is a stream that lasts. */
    isStream?: boolean
  }
}

interface MonitoringOptions {
  readonly random: Random
  readonly wait: (milliseconds: number) => Promise<unknown>
  readonly faults?: ProcessFaults | undefined
}

/** The counters of a server, and whether it was asked to stop. */
export interface Monitoring {
  readonly traffic: Traffic
  readonly isStopping: () => boolean
  /** Number of rejected promises that nothing awaited. */
  readonly rejections: () => number
}

/** Adds request counters and the debug log to a server. */
export function addMonitoring(server: Server, { log, settings }: App, { random, wait, faults }: MonitoringOptions): Monitoring {
  const traffic = new Traffic()
  let stopping = false
  server.events.on('response', (request) => {
    // A stream lasts as long as its client likes, which says nothing of the server.
    if (request.route.settings.plugins?.isStream !== true) traffic.count(request)
  })
  // Only at level `debug`: a log line costs more than many a response.
  if (log.debugs) server.events.on('response', (request) => logRequest(request, log, random))
  server.ext('onPreStop', async () => {
    stopping = true
    // Readiness turns negative before the listener closes, so that load balancers stop sending requests.
    const { stop_delay_seconds: delay } = settings
    if (delay > 0) await wait(delay * 1000)
  })
  return { traffic, isStopping: () => stopping || faults?.isEnding === true, rejections: () => faults?.rejections ?? 0 }
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
