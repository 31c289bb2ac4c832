import type { Lifecycle, Request } from '@hapi/hapi'
import { type Actor, SHELL } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { SharedLimits } from '../limit/shared-limits.ts'
import { type RequestWindow, SlidingWindow, WINDOW_MS } from '../limit/sliding-window.ts'
import type { Clock } from '../util/clock.ts'
import { clientAddress } from './request.ts'
import { addFields, type HeaderFields } from './response.ts'

/** `default` counts by user, or by address without a user; `upload` and `download` likewise, `auth` by address. */
type BucketName = 'default' | 'auth' | 'upload' | 'download'

/** The requests that each bucket counts, in messages. */
const NOUNS: Readonly<Record<BucketName, string>> = { default: 'request', auth: 'login', upload: 'upload', download: 'download' }

interface Bucket {
  readonly window: RequestWindow
  /** The headers with constant values. */
  readonly fixed: HeaderFields
}

/**
 * Limits requests per minute and reports the state in headers: the common `X-RateLimit-*`, and `RateLimit` with
 * `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). Requests are counted before their body is read, so that rejected
 * ones cost little. The headers are set on the raw response, so that every response carries them.
 */
export class RateLimits {
  /** Number of requests rejected by each limit. */
  readonly rejections: Record<BucketName, number> = { default: 0, auth: 0, upload: 0, download: 0 }
  readonly #buckets: Readonly<Record<BucketName, Bucket | undefined>>
  readonly #trustedProxies: number
  readonly #clock: Clock

  /** @param shared the limits that this process shares with others; undefined if it counts alone */
  constructor({ rate_limits: limits, trusted_proxies: trustedProxies }: Settings, clock: Clock, shared?: SharedLimits) {
    const bucket = (name: BucketName, limit: number): Bucket | undefined => {
      if (limit === 0) return undefined
      const window =
        shared === undefined
          ? new SlidingWindow({ limit, windowMs: WINDOW_MS, clock })
          : name === 'auth'
            ? shared.exact(name, limit)
            : shared.exchanged(name, limit)
      const policy = `"${name}";q=${limit};w=${WINDOW_MS / 1000}`
      return { window, fixed: ['X-RateLimit-Limit', `${limit}`, 'RateLimit-Policy', policy] }
    }
    this.#buckets = {
      default: bucket('default', limits.default),
      auth: bucket('auth', limits.auth),
      upload: bucket('upload', limits.upload),
      download: bucket('download', limits.download),
    }
    this.#trustedProxies = trustedProxies
    this.#clock = clock
  }

  /** Counts the request for a file, by user, or by address without a user. @throws {AppError} RATE_LIMITED */
  async countDownload(request: Request, actor: Actor): Promise<void> {
    if (actor === SHELL) return
    await this.#count(request, 'download', String(actor.userId ?? clientAddress(request, this.#trustedProxies)))
  }

  /** Counts the request of a user. @throws {AppError} RATE_LIMITED */
  countUser(request: Request, userId: number, name: 'default' | 'upload'): Promise<void> {
    return this.#count(request, name, String(userId))
  }

  /**
   * Counts the request of an actor. Commands of the project's own shell are not counted: it has the secret of the project, and without a
   * server its commands have no limit either.
   *
   * @throws {AppError} RATE_LIMITED
   */
  async countActor(request: Request, actor: Actor, name: 'default' | 'upload'): Promise<void> {
    if (actor !== SHELL && actor.userId !== undefined) await this.countUser(request, actor.userId, name)
  }

  /** For `onPreAuth` of routes that take passwords. */
  readonly countLogin: Lifecycle.Method = async (request, h) => {
    await this.countAddress(request)
    return h.continue
  }

  /** Counts a login, or a failed refresh, by address. @throws {AppError} RATE_LIMITED */
  countAddress(request: Request): Promise<void> {
    return this.#count(request, 'auth', clientAddress(request, this.#trustedProxies))
  }

  /** For `onPreAuth` of public routes that cost work. */
  readonly countUnauthenticated: Lifecycle.Method = async (request, h) => {
    await this.countAnonymous(request)
    return h.continue
  }

  /** For `onPreAuth` of public routes that take files. */
  readonly countUpload: Lifecycle.Method = async (request, h) => {
    await this.#count(request, 'upload', clientAddress(request, this.#trustedProxies))
    return h.continue
  }

  /** Counts a request without a token, by address. @throws {AppError} RATE_LIMITED */
  countAnonymous(request: Request): Promise<void> {
    return this.#count(request, 'default', clientAddress(request, this.#trustedProxies))
  }

  async #count(request: Request, name: BucketName, caller: string): Promise<void> {
    const bucket = this.#buckets[name]
    if (bucket === undefined) return
    const { allowed, limit, remaining, resetSeconds } = await bucket.window.take(caller)
    const reset = Math.ceil(this.#clock() / 1000) + resetSeconds
    addFields(request.raw.res, [
      ...bucket.fixed,
      'X-RateLimit-Remaining',
      `${remaining}`,
      'X-RateLimit-Reset',
      `${reset}`,
      'RateLimit',
      `"${name}";r=${remaining};t=${resetSeconds}`,
    ])
    if (allowed) return
    this.rejections[name]++
    const noun = NOUNS[name]
    const counted = `${limit} ${limit === 1 ? noun : `${noun}s`}`
    const words = `At most ${counted} a minute (the setting rate_limits.${name}); try again in ${resetSeconds} seconds`
    throw new AppError('RATE_LIMITED', words, { retryAfter: resetSeconds })
  }
}
