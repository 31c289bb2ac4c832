import { isObject } from '../../util/json.ts'

/** The JSON properties that commands read from a response, by `METHOD path`, where the path is a URL path with its query. The first matching entry applies. */
const EXPECTED: readonly (readonly [RegExp, (body: Record<string, unknown>) => boolean])[] = [
  [
    / \/openapi\.json$/,
    ({ components }) => isObject(components) && isObject(components.schemas) && allObjects(components.schemas),
  ],
  [/ \/auth\/issue$/, ({ access_token: token }) => typeof token === 'string'],
  [/^DELETE \/auth\/sessions\?/, ({ total }) => typeof total === 'number'],
  [/ \/reset$/, ({ seeded, removed }) => typeof seeded === 'number' && isObject(removed)],
  [/ \/mock$/, ({ data }) => isObject(data) && isObject(data.created)],
  [/^POST .*\/import\?/, ({ created, updated, total, ignored }) => areNumbers(created, updated, total) && Array.isArray(ignored)],
  [/^GET [^?]*\/search\?/, ({ data, hits, total }) => isList(data) && isList(hits) && areNumbers(total)],
  [/^GET [^?]*\/\d+$/, ({ data }) => isObject(data)],
  [/^GET /, ({ data }) => isList(data)],
  [/^/, ({ data }) => isObject(data)],
]

/** True if a body has the shape that an admin server returns for a request. Other servers may also respond with JSON. */
export function isExpectedBody(method: string, path: string, body: unknown): boolean {
  if (!isObject(body)) return false
  const [, matches] = EXPECTED.find(([request]) => request.test(`${method} ${path}`)) ?? []
  return matches?.(body) === true
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)

const allObjects = (value: Record<string, unknown>): boolean => Object.values(value).every(isObject)

const areNumbers = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'number')
