import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { apiRoots } from '../paths.ts'
import { actorOf, queryOf } from '../requests/request.ts'
import { jsonResponse } from '../responses/json.ts'

/** The history of all records, for superusers. That of one record is among its own routes. */
export function historyRoutes({ settings, history }: App): ServerRoute[] {
  const options = { auth: 'bearer', plugins: { limitsUsers: true, readsQuery: true } }

  const list = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await history.all(actorOf(request), queryOf(request)))

  return [{ method: 'GET', path: apiRoots(settings).history, handler: list, options }]
}
