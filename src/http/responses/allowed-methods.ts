import type { Request } from '@hapi/hapi'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The route answers paths that have no route of their own. */
    isFallback?: boolean
  }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The methods that the path of a request has, as the value of `Allow` (RFC 9110, section 10.2.1); undefined for an unknown path. */
export function allowedMethods({ server, path }: Request): string | undefined {
  const found = METHODS.flatMap((method) => {
    const route = server.match(method, path)
    return route === null || route.settings.plugins?.isFallback === true ? [] : [{ method, parameters: parametersIn(route.path) }]
  })
  if (found.length === 0) return undefined
  // `/models/post/search` matches `/models/{model}/{record_id}` too, but is no record.
  const fewest = Math.min(...found.map(({ parameters }) => parameters))
  return found
    .filter(({ parameters }) => parameters === fewest)
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .join(', ')
}

/** Number of parameters in the path of a route. */
const parametersIn = (path: string): number => path.split('{').length - 1
