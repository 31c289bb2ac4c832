import Joi from 'joi'
import { Faults } from '../config/fault.ts'
import { validateShape } from '../config/shape.ts'
import type { Definition, Source } from '../config/source.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Access } from './define.ts'
import type { EndpointDefinition } from './define-endpoint.ts'
import { accessSchema, checkPermission } from './parse-access.ts'
import type { CodeFunction } from './parse-hooks.ts'
import { parseInput } from './parse-input.ts'

/** An endpoint of the project. */
export interface Endpoint {
  readonly method: EndpointDefinition['method']
  /** Below the root of endpoints, with its parameters in braces. */
  readonly path: string
  /** Names of the parameters of the path. */
  readonly params: readonly string[]
  readonly summary: string | undefined
  readonly access: Access
  readonly limit: NonNullable<EndpointDefinition['limit']>
  /** The fields of its input, as a model. */
  readonly input: Model
  /** True if it takes the body as bytes. */
  readonly isRaw: boolean
  /** The members of what it returns; undefined if they are not described. */
  readonly output: Model | undefined
  readonly code: CodeFunction<EndpointDefinition['run']>
  readonly source: Source
}

/** True for an endpoint whose input is read from the query, beside its path; of the others it is read from the body. */
export const takesQuery = ({ method, isRaw }: Pick<Endpoint, 'method' | 'isRaw'>): boolean =>
  method === 'GET' || method === 'DELETE' || isRaw

/** Segments of plain text, and of one parameter each. `.` and `..` would never arrive. */
const PATH = /^(\/(?!\.\.?(\/|$))([A-Za-z0-9._~-]+|\{[A-Za-z]\w*\}))+$/

const schema = Joi.object<EndpointDefinition>({
  method: Joi.valid('GET', 'POST', 'PUT', 'DELETE').required(),
  path: Joi.string().pattern(PATH).required().messages({
    'string.pattern.base':
      "'{{#value}}' cannot be the path of an endpoint; write segments of letters, digits, '-', '_', '.' and '~', or of one parameter in braces",
  }),
  summary: Joi.string(),
  access: accessSchema('public', 'authenticated', 'superuser'),
  limit: Joi.valid('default', 'auth', 'upload'),
  input: Joi.array(),
  body: Joi.valid('json', 'raw'),
  output: Joi.array(),
  run: Joi.function().required(),
})

/**
 * Compiles the endpoints of a project. Faulty ones are left out.
 *
 * @param unclear keys of models that are faulty
 */
export function parseEndpoints(
  definitions: readonly Definition[],
  registry: Registry,
  unclear: ReadonlySet<string>,
): { endpoints: readonly Endpoint[]; faults: Faults } {
  const faults = new Faults('code/invalid')
  const endpoints: Endpoint[] = []
  for (const { value: written, source } of definitions) {
    const { value, faults: shape } = validateShape(schema, written, source, { rule: () => 'code/invalid' })
    faults.addAll(shape.list)
    if (value === undefined) continue
    const endpoint = compile(value, { source, registry, unclear }, faults)
    const twin = endpoints.find((each) => each.method === endpoint.method && shapeOf(each) === shapeOf(endpoint))
    if (twin === undefined) endpoints.push(endpoint)
    else {
      const { file, line } = twin.source.at([])
      const message = `${endpoint.code.name} has the path of ${twin.code.name} (${file}:${line}); change one of the two`
      faults.add(source, [], message, { rule: 'code/path-conflict' })
    }
  }
  return { endpoints, faults }
}

/** The path without the names of its parameters, which requests do not tell apart. */
const shapeOf = ({ path }: Endpoint): string => path.replace(/\{\w+\}/g, '{}')

interface EndpointPlace {
  readonly source: Source
  readonly registry: Registry
  readonly unclear: ReadonlySet<string>
}

function compile(written: EndpointDefinition, place: EndpointPlace, faults: Faults): Endpoint {
  const { method, path, summary, access: allowed = 'authenticated', limit = 'default', input = [], body, output, run } = written
  const { source } = place
  const name = `${method} ${path}`
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param)
  const twice = params.find((param, index) => params.indexOf(param) < index)
  if (twice !== undefined) faults.add(source, ['path'], `'${path}' has the parameter '${twice}' twice; choose another name`)
  if (body !== undefined && (method === 'GET' || method === 'DELETE')) {
    faults.add(source, ['body'], `A ${method} request has no body; use POST or PUT, or leave 'body' out`)
  }
  if (typeof allowed === 'object' && 'permission' in allowed) checkPermission(allowed, place.registry, source, faults)
  const { file, line } = source.at([])
  return {
    ...{ method, path, params, summary, access: allowed, limit, source },
    input: parseInput(name, input, { ...place, path: ['input'] }, faults),
    isRaw: body === 'raw',
    output: output && parseInput(name, output, { ...place, path: ['output'], isOutput: true }, faults),
    code: { file, line, name, call: run },
  }
}
