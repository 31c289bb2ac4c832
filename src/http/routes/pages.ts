import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { ADMIN_PAGE_POLICY, type AdminPage } from '../admin-page.ts'
import { DocsFiles, docsPage, PAGE_FILES, PAGE_POLICY } from '../docs-page.ts'
import { apiRoots } from '../paths.ts'
import { accepts, queryOf } from '../request.ts'
import { addFields, setPolicy } from '../response.ts'

/** What to do about a page that was not built. */
export const BUILD_REMEDY = 'run `npm run build`, then start the server again'

/** Names of assets contain a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * The admin page. It reveals nothing of the project, so it needs no token, whatever `views_auth` says. It is not rate-limited:
 * one visit loads many assets, and each costs less than the response to an unknown path.
 *
 * @param page undefined if it was not built; then its paths say so
 */
export function adminPageRoutes(settings: Settings, page: AdminPage | undefined): ServerRoute[] {
  const { api, docs, page: root } = apiRoots(settings)
  const folder = root.slice(0, -1)

  const show = (request: Request, h: ResponseToolkit) => {
    if (page === undefined) throw new AppError('ROUTE_NOT_FOUND', `The admin page was not built; ${BUILD_REMEDY}`)
    // hapi removes the slash before it looks for the route.
    const query = queryOf(request)
    if (request.path === folder && !pathOf(request).endsWith('/')) return h.redirect(root + (query && `?${query}`))
    secure(request)
    return h.response(page.html).type('text/html').etag(page.tag).header('Cache-Control', 'no-cache')
  }

  const asset = async (request: Request, h: ResponseToolkit) => {
    const name = String(request.params.file)
    const file = await page?.asset(name, request.headers['accept-encoding'] as string | undefined)
    if (file === undefined) throw nothingThere()
    secure(request)
    const mime = request.server.mime.path(name)
    const type = 'type' in mime ? mime.type : 'application/octet-stream'
    const response = h.response(file.content).type(type).header('Cache-Control', FOREVER).vary('Accept-Encoding')
    return file.encoding === undefined ? response : response.compressed(file.encoding)
  }

  const missing = () => {
    throw nothingThere()
  }

  // Unknown paths of the API and of the documentation are no pages, wherever the settings put the page.
  const others = new Set([`${folder}/api`, api, docs].filter((path) => path.startsWith(root)))
  // Parameters that other programs append to an address, and parameters of the page itself, do not matter here.
  const options = { auth: false as const, cors: false as const, plugins: { readsQuery: true } }
  const fallback = { auth: false as const, plugins: { readsQuery: true, isFallback: true } }
  return [
    { method: 'GET', path: `${folder}/{path*}`, handler: show, options },
    { method: 'GET', path: `${root}assets/{file*}`, handler: asset, options: { auth: false, cors: false } },
    ...[...others].map((path): ServerRoute => ({ method: 'GET', path: `${path}/{path*}`, handler: missing, options: fallback })),
  ]
}

function secure({ raw: { res } }: Request): void {
  setPolicy(res, ADMIN_PAGE_POLICY)
  addFields(res, ['Cross-Origin-Opener-Policy', 'same-origin'])
}

/** The path as sent. */
const pathOf = ({ raw }: Request): string => raw.req.url?.split('?')[0] ?? ''

const nothingThere = (): AppError => new AppError('ROUTE_NOT_FOUND', 'There is nothing at this path')

/** The page of the OpenAPI document. By itself it reveals nothing of the project. */
export function docsRoutes(settings: Settings): ServerRoute[] {
  const roots = apiRoots(settings)
  const page = (request: Request, h: ResponseToolkit) => {
    setPolicy(request.raw.res, PAGE_POLICY)
    return h.response(docsPage(roots, settings.ui.title ?? 'Admin')).type('text/html')
  }
  const kept = new DocsFiles()
  const files = PAGE_FILES.map((name): ServerRoute => {
    const file = async (request: Request, h: ResponseToolkit) => {
      const { content, gzipped, type, tag } = await kept.of(name)
      const isZipped = accepts(request.headers['accept-encoding'] as string | undefined, 'gzip')
      const response = h
        .response(isZipped ? gzipped : content)
        .type(type)
        .etag(tag)
        .vary('Accept-Encoding')
      response.header('Cache-Control', 'no-cache')
      return isZipped ? response.compressed('gzip') : response
    }
    return { method: 'GET', path: `${roots.docs}/${name}`, handler: file, options: { auth: false } }
  })
  return [{ method: 'GET', path: roots.docs, handler: page, options: { auth: false } }, ...files]
}

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
