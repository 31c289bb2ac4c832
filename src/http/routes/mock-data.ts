import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { superusersOnly } from '../../service/access/refusals.ts'
import { apiRoots } from '../paths.ts'
import type { RateLimits } from '../requests/rate-limits.ts'
import { actorOf, queryOf } from '../requests/request.ts'
import { jsonResponse } from '../responses/json.ts'

/**
 * Mock data for users who may view a model, creation of mock records for superusers, and the public test endpoint of each
 * model.
 */
export function mockDataRoutes(app: App, limits: RateLimits): ServerRoute[] {
  const { models, mock: filling } = apiRoots(app.settings)
  const { mocks, mockFiller, modelTests } = app

  const mock = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await mocks.list(actorOf(request), String(request.params.model), queryOf(request)))

  const test = (request: Request) => modelTests.describe(String(request.params.model), models, queryOf(request))

  const fill = async (request: Request, h: ResponseToolkit) =>
    h.response({ data: await mockFiller.request(actorOf(request), request.payload) }).code(201)

  const limited = { auth: 'bearer', plugins: { limitsUsers: true, readsQuery: true } }
  const creating = {
    auth: 'bearer',
    plugins: { limitsUsers: true, admits: (request: Request) => superusersOnly(actorOf(request)) },
  }
  const open = {
    auth: false as const,
    plugins: { readsQuery: true },
    ext: { onPreAuth: { method: limits.countUnauthenticated } },
  }
  return [
    { method: 'GET', path: `${models}/{model}/mock`, handler: mock, options: limited },
    { method: 'POST', path: filling, handler: fill, options: creating },
    { method: 'GET', path: `${models}/{model}/test`, handler: test, options: open },
  ]
}
