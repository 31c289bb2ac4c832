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
  const found = METHODS.filter((method) => {
    const route = server.match(method, path)
    return route !== null && route.settings.plugins?.isFallback !== true
  })
  if (found.length === 0) return undefined
  return found.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ')
}
