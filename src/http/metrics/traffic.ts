import type { Request, RequestRoute } from '@hapi/hapi'

/** Upper bounds of the latency histogram's buckets, in milliseconds; those of Prometheus' own clients. The last one has none. */
export const BUCKETS_MS: readonly number[] = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** The status of a request whose client went away before it was answered (nginx's number; nobody is sent it). */
const CLIENT_GONE = 499
const STATUSES = 600

/** What was asked of one route. */
export interface RouteTraffic {
  readonly method: string
  /** The path with its parameters' names, never their values; `other` for every path that leads nowhere. */
  readonly route: string
  /** How many were answered with each status: `byStatus[200]`. */
  readonly byStatus: Float64Array
  /** How many took at most as long as the bucket of the same index allows and longer than the one before. */
  readonly byLatency: Float64Array
  totalMs: number
}

/** Counts requests. Each costs a look-up and two increments; nothing is made for it. */
export class Traffic {
  readonly #routes = new Map<RequestRoute, RouteTraffic>()

  /** Every route that was asked for something. */
  get routes(): readonly RouteTraffic[] {
    return [...new Set(this.#routes.values())]
  }

  /** Counts a request that is over. */
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

  /** hapi has several routes for what leads nowhere; they are counted as one. */
  #begin(route: RequestRoute): RouteTraffic {
    const name = nameOf(route)
    const known = [...this.#routes.values()].find((each) => each.route === name.route && each.method === name.method)
    const byStatus = new Float64Array(STATUSES)
    const byLatency = new Float64Array(BUCKETS_MS.length + 1)
    const traffic = known ?? { ...name, byStatus, byLatency, totalMs: 0 }
    this.#routes.set(route, traffic)
    return traffic
  }
}

/** The index of the bucket that a duration falls into. */
export function bucketOf(milliseconds: number): number {
  let bucket = 0
  while (bucket < BUCKETS_MS.length && milliseconds > (BUCKETS_MS[bucket] ?? 0)) bucket++
  return bucket
}

/** What a route is called. hapi's own, for paths that lead nowhere, takes any method: those are one too. */
export function nameOf({ method, path }: Pick<RequestRoute, 'method' | 'path'>): { method: string; route: string } {
  const isOurs = !(method as string).startsWith('_')
  return isOurs ? { method: method.toUpperCase(), route: path } : { method: 'other', route: 'other' }
}

/** What a request was answered with. */
export function statusOf({ raw: { res } }: Request): number {
  return res.headersSent && res.statusCode < STATUSES ? res.statusCode : CLIENT_GONE
}

/** How long a request took, in whole milliseconds; a clock that was set back makes it 0. */
export const millisecondsOf = ({ received, completed }: Request['info']): number => Math.max(0, completed - received)
