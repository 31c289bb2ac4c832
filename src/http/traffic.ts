import type { Request, RequestRoute } from '@hapi/hapi'

/** Upper bounds of the latency buckets in milliseconds, as in Prometheus client libraries. The last bucket has none. */
export const BUCKETS_MS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** Status of a request whose client disconnected before the response (as in nginx; never sent). */
const CLIENT_GONE = 499
const STATUSES = 600

/** Counters of one route. */
export interface RouteTraffic {
  readonly method: string
  /** The path template, without parameter values; `other` for all unknown paths. */
  readonly route: string
  /** Number of responses by status: `byStatus[200]`. */
  readonly byStatus: Float64Array
  /** Number of requests by latency bucket. */
  readonly byLatency: Float64Array
  totalMs: number
}

/** Counts requests. Each costs a lookup and two increments, without allocation. */
export class Traffic {
  readonly #routes = new Map<RequestRoute, RouteTraffic>()

  /** All routes with requests. */
  get routes(): readonly RouteTraffic[] {
    return [...new Set(this.#routes.values())]
  }

  /** Counts a finished request. */
  count(request: Request): void {
    const { route, info } = request
    const traffic = this.#routes.get(route) ?? this.#begin(route)
    const status = statusOf(request)
    traffic.byStatus[status] = (traffic.byStatus[status] ?? 0) + 1
    const milliseconds = millisecondsOf(info)
    const bucket = bucketOf(milliseconds)
    traffic.byLatency[bucket] = (traffic.byLatency[bucket] ?? 0) + 1
    traffic.totalMs += milliseconds
  }

  /** hapi has several routes for unknown paths; they count as one. */
  #begin(route: RequestRoute): RouteTraffic {
    const name = routeNameOf(route)
    const known = [...this.#routes.values()].find((each) => each.route === name.route && each.method === name.method)
    const byStatus = new Float64Array(STATUSES)
    const byLatency = new Float64Array(BUCKETS_MS.length + 1)
    const traffic = known ?? { ...name, byStatus, byLatency, totalMs: 0 }
    this.#routes.set(route, traffic)
    return traffic
  }
}

/** Index of the bucket of a duration. */
export function bucketOf(milliseconds: number): number {
  let bucket = 0
  while (bucket < BUCKETS_MS.length && milliseconds > (BUCKETS_MS[bucket] ?? 0)) bucket++
  return bucket
}

/** The name of a route. hapi's own routes for unknown paths accept any method. */
export function routeNameOf({ method, path }: Pick<RequestRoute, 'method' | 'path'>): { method: string; route: string } {
  const isOurs = !(method as string).startsWith('_')
  return isOurs ? { method: method.toUpperCase(), route: path } : { method: 'other', route: 'other' }
}

/** The status of the response. */
export function statusOf({ raw: { res } }: Request): number {
  return res.headersSent && res.statusCode < STATUSES ? res.statusCode : CLIENT_GONE
}

/** Duration of a request in whole milliseconds; 0 if the clock was set back. */
export const millisecondsOf = ({ received, completed }: Request['info']): number => Math.max(0, completed - received)
