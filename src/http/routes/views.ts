import type { Request, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { apiRoots } from '../paths.ts'

/** The Views API: how each model is edited and displayed. The setting `views_auth` decides whether it needs a token. */
export function viewRoutes({ settings, views: catalog }: App): ServerRoute[] {
  const { views } = apiRoots(settings)
  const options = settings.views_auth === 'required' ? { auth: 'bearer' } : { auth: false as const }

  const all = () => ({ data: catalog.all() })
  const ofModel = (request: Request) => ({ data: catalog.of(String(request.params.model)) })

  return [
    { method: 'GET', path: views, handler: all, options },
    { method: 'GET', path: `${views}/{model}`, handler: ofModel, options },
  ]
}
