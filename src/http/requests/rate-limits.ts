import type { Lifecycle, Request } from '@hapi/hapi'
import type { Actor } from '../../auth/permissions.ts'
import { SHELL_SUBJECT } from '../../auth/token.ts'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { SlidingWindow } from '../../limit/sliding-window.ts'
import type { Clock } from '../../util/clock.ts'
import { addHeaderLines } from '../responses/security-headers.ts'
import { clientAddress } from './client-address.ts'

/** `default` counts by user, and by address where nobody says who they are; `upload` by user, `auth` by address. */
type BucketName = 'default' | 'auth' | 'upload'

interface Bucket {
  readonly window: SlidingWindow
  /** The headers that say the same every time. */
  readonly fixed: string
}

const WINDOW_MS = 60_000

/**
 * Limits how often callers may call in a minute, and tells them how they stand: by the widespread `X-RateLimit-*`, and by
 * `RateLimit` with `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). Both before a body is read, so that a caller over
 * the limit costs next to nothing; the headers are added to the raw response, so that whatever is answered carries them.
 */
export class RateLimits {
  /** How many requests each limit refused. */
  readonly rejections: Record<BucketName, number> = { default: 0, auth: 0, upload: 0 }
  readonly #buckets: Readonly<Record<BucketName, Bucket | undefined>>
  readonly #trustedProxies: number
  readonly #clock: Clock

  constructor({ rate_limits: limits, trusted_proxies: trustedProxies }: Settings, clock: Clock) {
    const bucket = (name: BucketName, limit: number): Bucket | undefined => {
      if (limit === 0) return undefined
      const window = new SlidingWindow({ limit, windowMs: WINDOW_MS, clock })
      const policy = `"${name}";q=${limit};w=${WINDOW_MS / 1000}`
      return { window, fixed: `X-RateLimit-Limit: ${limit}\r\nRateLimit-Policy: ${policy}\r\n` }
    }
    this.#buckets = {
      default: bucket('default', limits.default),
      auth: bucket('auth', limits.auth),
      upload: bucket('upload', limits.upload),
    }
    this.#trustedProxies = trustedProxies
    this.#clock = clock
  }

  /** @throws {AppError} RATE_LIMITED */
  countUser(request: Request, { userId }: Actor, name: 'default' | 'upload'): void {
    this.#count(request, name, String(userId ?? SHELL_SUBJECT))
  }

  /** For the `onPreAuth` of a route that takes passwords or what stands for them. */
  readonly countAddress: Lifecycle.Method = (request, h) => {
    this.#count(request, 'auth', clientAddress(request, this.#trustedProxies))
    return h.continue
  }

  /** For the `onPreAuth` of a route that asks for no token and takes work. */
  readonly countAnybody: Lifecycle.Method = (request, h) => {
    this.#count(request, 'default', clientAddress(request, this.#trustedProxies))
    return h.continue
  }

  #count(request: Request, name: BucketName, caller: string): void {
    const bucket = this.#buckets[name]
    if (bucket === undefined) return
    const { allowed, limit, remaining, resetSeconds } = bucket.window.take(caller)
    const reset = Math.ceil(this.#clock() / 1000) + resetSeconds
    const standing = `X-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${reset}\r\nRateLimit: "${name}";r=${remaining};t=${resetSeconds}\r\n`
    addHeaderLines(request.raw.res, bucket.fixed + standing)
    if (allowed) return
    this.rejections[name]++
    const words = `At most ${limit} requests a minute; try again in ${resetSeconds} seconds`
    throw new AppError('RATE_LIMITED', words, { retryAfter: resetSeconds })
  }
}
