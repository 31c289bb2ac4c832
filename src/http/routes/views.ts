import type { Request, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { Parameters } from '../../query/parameters.ts'
import type { CatalogOptions } from '../../service/project/view-catalog.ts'
import { apiRoots } from '../paths.ts'
import { queryOf } from '../requests/request.ts'

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
