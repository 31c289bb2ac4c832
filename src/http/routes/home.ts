import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { Settings } from '../../config/settings.ts'
import { apiRoots } from '../paths.ts'

/**
 * Redirects the root of the server, and of its base path, to the page if there is one, otherwise to the documentation.
 *
 * @param page path of the page; undefined without one
 */
export function homeRoutes(settings: Settings, page?: string): ServerRoute[] {
  const { base_path: base } = settings
  const target = page ?? apiRoots(settings).docs
  const redirect = (_: Request, h: ResponseToolkit) => h.redirect(target)
  // Parameters that other programs append to an address do not matter here.
  const options = { auth: false as const, plugins: { readsQuery: true } }
  const paths = [...new Set(['/', base || '/'])].filter((path) => page === undefined || `${path === '/' ? '' : path}/` !== page)
  return paths.map((path) => ({ method: 'GET', path, handler: redirect, options }))
}
