import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { openApiDocument } from '../../openapi/document.ts'
import { apiRoots } from '../paths.ts'
import { accepts } from '../requests/request.ts'
import { DocsFiles, docsPage, PAGE_FILES, PAGE_POLICY } from '../responses/docs-page.ts'
import { jsonResponse } from '../responses/json.ts'
import { setPolicy } from '../responses/response.ts'

/**
 * The OpenAPI document and its page. The document reveals as much of the project as its views do, so it has the same access
 * rule; the page by itself reveals nothing.
 */
export function descriptionRoutes({ project, settings }: App): ServerRoute[] {
  const roots = apiRoots(settings)
  let text: string | undefined

  const document = (_: Request, h: ResponseToolkit) => {
    // Most servers never need it.
    text ??= JSON.stringify(openApiDocument(project, roots))
    return jsonResponse(h, text)
  }
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
  const reading = settings.views_auth === 'required' ? { auth: 'bearer' } : { auth: false as const }
  return [
    { method: 'GET', path: roots.document, handler: document, options: reading },
    { method: 'GET', path: roots.docs, handler: page, options: { auth: false } },
    ...files,
  ]
}
