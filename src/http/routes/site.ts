import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { superusersOnly } from '../../service/access/refusals.ts'
import { apiRoots } from '../paths.ts'
import { readOptionsOf } from '../requests/client-signal.ts'
import { actorOf, queryOf } from '../requests/request.ts'
import { taggedResponse } from '../responses/etag.ts'
import { jsonResponse } from '../responses/json.ts'

/** The routes of a front end for the whole project: the site, a search over all models, and the findings of lint. */
export function siteRoutes(app: App): ServerRoute[] {
  const { settings, site, searches, lint } = app
  const roots = apiRoots(settings)
  const options = { auth: 'bearer', plugins: { limitsUsers: true } }

  const describe = async (request: Request, h: ResponseToolkit) => {
    const { text, digest } = await site.describe(actorOf(request))
    return taggedResponse(h, text, `"${digest}"`)
  }

  const search = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await searches.everywhere(actorOf(request), queryOf(request), readOptionsOf(request, app)))

  const findings = async (request: Request, h: ResponseToolkit) => {
    superusersOnly(actorOf(request))
    return jsonResponse(h, await lint())
  }

  return [
    { method: 'GET', path: roots.site, handler: describe, options },
    {
      method: 'GET',
      path: roots.search,
      handler: search,
      options: { ...options, plugins: { ...options.plugins, readsQuery: true } },
    },
    { method: 'GET', path: roots.lint, handler: findings, options },
  ]
}
