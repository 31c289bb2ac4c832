import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { superusersOnly } from '../../auth/permissions.ts'
import type { CatalogOptions } from '../../project/view-catalog.ts'
import { Parameters } from '../../query/parameters.ts'
import { jsonResponse } from '../json.ts'
import { apiRoots } from '../paths.ts'
import { taggedResponse } from '../preconditions.ts'
import { actorOf, queryOf, readOptionsOf } from '../request.ts'

/** The Views API: how each model is edited and displayed. The setting `views_auth` decides whether it needs a token. */
export function viewRoutes({ settings, views: catalog }: App): ServerRoute[] {
  const { views } = apiRoots(settings)
  const plugins = { readsQuery: true }
  const options =
    settings.views_auth === 'required'
      ? { auth: 'bearer', plugins: { ...plugins, limitsUsers: true } }
      : { auth: false as const, plugins }

  const all = (request: Request) => ({ data: catalog.all(optionsOf(request)) })
  const ofModel = (request: Request) => ({ data: catalog.of(String(request.params.model), optionsOf(request)) })

  return [
    { method: 'GET', path: views, handler: all, options },
    { method: 'GET', path: `${views}/{model}`, handler: ofModel, options },
  ]
}

/** @throws {AppError} INVALID_REQUEST */
function optionsOf(request: Request): CatalogOptions {
  const parameters = new Parameters(new URLSearchParams(queryOf(request)), ['generated'])
  const generated = parameters.flag('generated')
  parameters.throwIfFaulty()
  return { generated }
}

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
