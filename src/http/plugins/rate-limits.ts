import type { Plugin, Request, ResponseObject } from '@hapi/hapi'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { SlidingWindow, type Verdict } from '../../limit/sliding-window.ts'
import type { Clock } from '../../util/clock.ts'
import { clientAddress } from '../client-address.ts'

/** `default` counts by user, `auth` by address. */
type Bucket = 'default' | 'auth'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    rateLimit?: Bucket
  }
  interface PluginsStates {
    rateLimit?: { readonly bucket: Bucket; readonly verdict: Verdict }
  }
}

const WINDOW_MS = 60_000

/** Limits how often a route with `plugins: {rateLimit}` may be called in a minute, and tells callers how they stand. */
export const rateLimits: Plugin<{ readonly settings: Settings; readonly clock: Clock }> = {
  name: 'rate-limits',
  register(server, { settings, clock }) {
    const { rate_limits: limits, trusted_proxies: trustedProxies } = settings
    const windowFor = (limit: number) => (limit === 0 ? undefined : new SlidingWindow({ limit, windowMs: WINDOW_MS, clock }))
    const windows = { default: windowFor(limits.default), auth: windowFor(limits.auth) }

    const take = (request: Request, bucket: Bucket, caller: string): void => {
      if (request.route.settings.plugins?.rateLimit !== bucket) return
      const verdict = windows[bucket]?.take(caller)
      if (verdict === undefined) return
      request.plugins.rateLimit = { bucket, verdict }
      if (verdict.allowed) return
      const { limit, resetSeconds } = verdict
      throw new AppError('RATE_LIMITED', `At most ${limit} requests a minute; try again in ${resetSeconds} seconds`)
    }

    // Before the body is read: a caller over the limit costs next to nothing.
    server.ext('onPreAuth', (request, h) => {
      take(request, 'auth', clientAddress(request, trustedProxies))
      return h.continue
    })
    server.ext('onCredentials', (request, h) => {
      take(request, 'default', String(request.auth.credentials.app?.actor.userId))
      return h.continue
    })
    server.ext('onPreResponse', (request, h) => {
      const { rateLimit } = request.plugins
      if (rateLimit !== undefined && !('isBoom' in request.response)) {
        addHeaders(request.response, rateLimit.bucket, rateLimit.verdict, clock())
      }
      return h.continue
    })
  },
}

/** The widespread `X-RateLimit-*`, and `RateLimit` with `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
function addHeaders(response: ResponseObject, bucket: Bucket, verdict: Verdict, now: number): void {
  const { allowed, limit, remaining, resetSeconds } = verdict
  response
    .header('X-RateLimit-Limit', String(limit))
    .header('X-RateLimit-Remaining', String(remaining))
    .header('X-RateLimit-Reset', String(Math.ceil(now / 1000) + resetSeconds))
    .header('RateLimit-Policy', `"${bucket}";q=${limit};w=${WINDOW_MS / 1000}`)
    .header('RateLimit', `"${bucket}";r=${remaining};t=${resetSeconds}`)
  if (!allowed) response.header('Retry-After', String(resetSeconds))
}
