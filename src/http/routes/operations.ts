import type { Lifecycle, Request } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { CHALLENGE_HEADER, PROOF_HEADER } from '../../auth/secret.ts'
import { AppError } from '../../errors.ts'
import { fileTotals } from '../../files/file-figures.ts'
import { jsonContent } from '../../openapi/operation.ts'
import { oneName, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import type { ApiRoute, RouteSource, ServerParts } from '../api-route.ts'
import { tokenIn } from '../authentication.ts'
import { jsonResponse } from '../json.ts'
import { CONTENT_TYPE, exposition, metricsOf } from '../metrics.ts'

const status = (...words: readonly string[]): Schema => strictObject({ status: oneName(words) })

/**
 * Health, metrics, and the OpenAPI document. `/healthz` and `/readyz` are open, not rate-limited, and answer one word. The metrics contain
 * numbers of records, so access to them is a setting. The document reveals as much of the project as its views do, so it has their access rule.
 */
export function operationsRoutes({ settings, roots, responses }: RouteSource): ApiRoute[] {
  const { base_path: base } = settings
  const common = { method: 'GET', tag: 'operations', limit: 'none' } as const
  // Not for pages in a browser.
  const health = { ...common, access: 'open', sameOrigin: true } as const
  const metrics: ApiRoute = {
    ...{ ...common, sameOrigin: true },
    path: `${base}/metrics`,
    access: 'optional',
    operationId: 'getMetrics',
    summary: 'Figures for Prometheus',
    description:
      'Numbers of records, requests and rejections, and durations, in the text format. For superusers and this machine, unless the setting `metrics` opens it.',
    answers: { 200: responses.success('The figures', { 'text/plain': { schema: TEXT } }) },
    failures: settings.metrics === 'open' ? [] : ['unauthenticated', 'forbidden'],
    handler: measure,
  }
  return [
    {
      ...health,
      path: `${base}/healthz`,
      operationId: 'getHealth',
      summary: 'Whether the process answers',
      description: 'Reads nothing, needs no token, and counts towards no limit.',
      answers: { 200: responses.success('It does', jsonContent(status('ok'))) },
      handler:
        ({ proof }) =>
        (request, h) => {
          const { [CHALLENGE_HEADER]: challenge } = request.headers
          const answer = typeof challenge === 'string' ? proof.answer(challenge, Number(request.server.info.port)) : undefined
          return answer === undefined ? { status: 'ok' } : h.response({ status: 'ok' }).header(PROOF_HEADER, answer)
        },
    },
    {
      ...health,
      path: `${base}/readyz`,
      operationId: 'getReadiness',
      summary: 'Whether requests should be sent here',
      description: 'Asks the storage, needs no token, and counts towards no limit.',
      answers: {
        200: responses.success('They should', jsonContent(status('ready'))),
        503: responses.success('They should not', jsonContent({ anyOf: [status('readonly', 'stopping'), ref('error')] })),
      },
      handler:
        (app, { monitoring }) =>
        async (_, h) => {
          if (monitoring.isStopping()) return h.response({ status: 'stopping' }).code(503)
          await app.probe()
          const { takesWrites } = await app.store.status()
          return takesWrites ? { status: 'ready' } : h.response({ status: 'readonly' }).code(503)
        },
    },
    ...(settings.metrics === 'off' ? [] : [metrics]),
    {
      ...common,
      path: roots.document,
      access: settings.views_auth === 'required' ? 'token' : 'optional',
      keys: 'read',
      operationId: 'getDescription',
      summary: 'This document',
      description: 'It follows from the models, forms and settings of the project.',
      answers: {
        200: responses.success('The API in OpenAPI 3.1', jsonContent({ type: 'object', additionalProperties: true })),
      },
      handler:
        (_, { document }) =>
        (_request, h) =>
          jsonResponse(h, document()),
    },
  ]
}

const measure =
  (app: App, { monitoring, limits }: ServerParts): Lifecycle.Method =>
  async (request, h) => {
    if (app.settings.metrics !== 'open' && !isFromThisMachine(request)) await requireSuperuser(app, request)
    const models = app.project.registry.public.map(({ key }) => key)
    const store = await app.store.status()
    const outboxDepth = await app.webhooks.depth()
    const files = await fileTotals(app.store, app.project.registry)
    const images = files.length === 0 ? undefined : app.images.figures()
    const { routes } = monitoring.traffic
    const unhandled = monitoring.rejections()
    const text = exposition(
      metricsOf({
        routes,
        store,
        engine: app.figures(),
        models,
        rejections: limits.rejections,
        unhandled,
        outboxDepth,
        files,
        images,
      }),
    )
    return h.response(text).header('Content-Type', CONTENT_TYPE)
  }

/** @throws {AppError} UNAUTHENTICATED, FORBIDDEN */
async function requireSuperuser({ logins }: App, request: Request): Promise<void> {
  const { isSuperuser } = await logins.actorOfToken(tokenIn(request.headers.authorization as string | undefined))
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
