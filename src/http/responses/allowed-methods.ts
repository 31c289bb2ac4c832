import type { Request } from '@hapi/hapi'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The methods that the path of a request has, as the value of `Allow` (RFC 9110, section 10.2.1); undefined for an unknown path. */
export function allowedMethods({ server, path }: Request): string | undefined {
  const found = METHODS.filter((method) => server.match(method, path) !== null)
  if (found.length === 0) return undefined
  return found.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ')
}
