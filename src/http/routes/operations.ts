import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { CHALLENGE_HEADER, PROOF_HEADER } from '../../auth/secret.ts'
import { AppError } from '../../errors.ts'
import { tokenIn } from '../authentication.ts'
import { CONTENT_TYPE, exposition, metricsOf } from '../metrics.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { Traffic } from '../traffic.ts'

export interface OperationsOptions {
  readonly traffic: Traffic
  readonly limits: RateLimits
  /** True once the server was asked to stop. */
  readonly isStopping: () => boolean
}

/**
 * Health and metrics. `/healthz` and `/readyz` are open, not rate-limited, and answer one word. The metrics contain numbers of
 * records, so access to them is a setting.
 */
export function operationsRoutes(app: App, { traffic, limits, isStopping }: OperationsOptions): ServerRoute[] {
  const { base_path: base, metrics } = app.settings
  // Not for pages in a browser.
  const options = { auth: false as const, cors: false as const }

  const alive = (request: Request, h: ResponseToolkit) => {
    const { [CHALLENGE_HEADER]: challenge } = request.headers
    const proof = typeof challenge === 'string' ? app.proof.answer(challenge, Number(request.server.info.port)) : undefined
    return proof === undefined ? { status: 'ok' } : h.response({ status: 'ok' }).header(PROOF_HEADER, proof)
  }

  const ready = async (_: Request, h: ResponseToolkit) => {
    if (isStopping()) return h.response({ status: 'stopping' }).code(503)
    await app.probe()
    const { takesWrites } = await app.store.status()
    return takesWrites ? { status: 'ready' } : h.response({ status: 'readonly' }).code(503)
  }

  const measured = async (request: Request, h: ResponseToolkit) => {
    if (metrics !== 'open' && !isFromThisMachine(request)) await requireSuperuser(app, request)
    const models = app.project.registry.public.map(({ key }) => key)
    const store = await app.store.status()
    const outboxDepth = await app.webhooks.depth()
    const text = exposition(
      metricsOf({ routes: traffic.routes, store, engine: app.figures(), models, rejections: limits.rejections, outboxDepth }),
    )
    return h.response(text).header('Content-Type', CONTENT_TYPE)
  }

  const routes: ServerRoute[] = [
    { method: 'GET', path: `${base}/healthz`, handler: alive, options },
    { method: 'GET', path: `${base}/readyz`, handler: ready, options },
  ]
  return metrics === 'off' ? routes : [...routes, { method: 'GET', path: `${base}/metrics`, handler: measured, options }]
}

/** @throws {AppError} UNAUTHENTICATED, FORBIDDEN */
async function requireSuperuser({ logins }: App, request: Request): Promise<void> {
  const { isSuperuser } = await logins.actorOf(logins.claimsOf(tokenIn(request.headers.authorization as string | undefined)))
  if (!isSuperuser) throw new AppError('FORBIDDEN', 'User does not have permission to access this resource')
}

const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
const SIGNS_OF_A_PROXY = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/**
 * True for a caller on this machine that addressed this machine. Proxied requests, and pages whose host name resolves here (DNS
 * rebinding), are excluded.
 */
function isFromThisMachine({ headers, info }: Request): boolean {
  if (!LOOPBACK_ADDRESS.test(info.remoteAddress) || !LOOPBACK_HOST.test(info.host)) return false
  return !SIGNS_OF_A_PROXY.some((name) => headers[name] !== undefined)
}
