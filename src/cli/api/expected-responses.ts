import { isObject } from '../../util/json.ts'

/** What commands rely on in an answer, by the path that was asked for. The first that fits counts. */
const EXPECTED: readonly (readonly [RegExp, (answer: Record<string, unknown>) => boolean])[] = [
  [
    / \/openapi\.json$/,
    ({ components }) => isObject(components) && isObject(components.schemas) && allObjects(components.schemas),
  ],
  [/ \/reset$/, ({ seeded }) => typeof seeded === 'number'],
  [/ \/mock$/, ({ data }) => isObject(data) && isObject(data.created)],
  [/^POST .*\/import\?/, ({ created, updated, total, ignored }) => areNumbers(created, updated, total) && Array.isArray(ignored)],
  [/\/search\?/, ({ data, hits, total }) => isList(data) && isList(hits) && areNumbers(total)],
  [/^GET [^?]*\/\d+$/, ({ data }) => isObject(data)],
  [/^GET /, ({ data }) => isList(data)],
  [/^/, ({ data }) => isObject(data)],
]

/** True for a body that has what an admin server answers to such a request; others answer in JSON, too. */
export function isOurAnswer(method: string, path: string, body: unknown): boolean {
  if (!isObject(body)) return false
  const [, fits] = EXPECTED.find(([asked]) => asked.test(`${method} ${path}`)) ?? []
  return fits?.(body) === true
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)

const allObjects = (value: Record<string, unknown>): boolean => Object.values(value).every(isObject)

const areNumbers = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'number')
