import { resolved } from './components.ts'
import type { ContractSource } from './document.ts'
import { describeEndpoint } from './endpoint-descriptions.ts'
import { fileTypeName } from './field-schemas.ts'
import type { OpenApiDocument, OperationObject, ParameterObject, RequestBody, ResponseObject } from './operation.ts'
import type { Schema } from './schema.ts'
import { literalType, objectType, plainWords, typeOf } from './type-text.ts'

/** The parts of an endpoint that types are written from. */
export interface DescribedEndpoint {
  /** `GET /orders/{id}` */
  readonly name: string
  readonly summary: string
  readonly parameters: readonly ParameterObject[]
  /** The members of the JSON body. */
  readonly body: Schema | undefined
  readonly answer: Schema
}

/** The endpoints of a loaded project. Those that take bytes are called by other programs, so clients have no method for them. */
export const endpointsIn = ({ endpoints }: Pick<ContractSource, 'endpoints'>): DescribedEndpoint[] =>
  endpoints
    .filter(({ isRaw }) => !isRaw)
    .map((endpoint) => {
      const { parameters, requestBody, answer } = describeEndpoint(endpoint)
      const { name } = endpoint.code
      return { name, summary: endpoint.summary ?? name, parameters, body: jsonSchema(requestBody), answer }
    })

/** The endpoints that the OpenAPI document of a server describes; the same as those of its project, in the order of the document. */
export function endpointsBy({ paths, components }: OpenApiDocument): DescribedEndpoint[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const own = /^\/api\/[^/]+\/ext(\/.*)$/.exec(path)?.[1]
    if (own === undefined) return []
    return Object.entries(item).flatMap(([method, operation]: [string, OperationObject]): DescribedEndpoint[] => {
      const { summary, parameters = [], requestBody, responses } = operation
      const sent = requestBody && resolved<RequestBody>(components, requestBody)
      const isRaw = sent !== undefined && !('application/json' in sent.content)
      const answer = resolved<ResponseObject>(components, responses['200'] ?? { description: '' })
      if (method === 'patch' || isRaw) return []
      return [
        {
          name: `${method.toUpperCase()} ${own}`,
          summary,
          parameters: parameters.map((parameter) => resolved<ParameterObject>(components, parameter)),
          body: jsonSchema(sent),
          answer: answer.content?.['application/json']?.schema ?? {},
        },
      ]
    })
  })
}

const jsonSchema = (body: RequestBody | undefined): Schema | undefined => body?.content['application/json']?.schema

/** TypeScript types of endpoints by method and path; empty without endpoints. */
export function endpointTypes(endpoints: readonly DescribedEndpoint[]): string {
  if (endpoints.length === 0) return ''
  const members = endpoints.map(({ name, summary, parameters, body, answer }) => {
    const given = parameters.map((parameter) => [parameter.name, parameter.schema] as const)
    const needed = parameters.filter(({ required }) => required === true).map((parameter) => parameter.name)
    const input: Schema = {
      properties: { ...Object.fromEntries(given), ...body?.properties },
      required: [...needed, ...(body?.required ?? [])],
    }
    const types = `    input: ${objectType(input, asItIs, '    ')}\n    output: ${typeOf(answer, asItIs, '    ')}\n`
    return `  /** ${plainWords(summary)} */\n  ${literalType(name)}: {\n${types}  }\n`
  })
  return `\n/** Every endpoint, by its method and its path below /ext. */\nexport interface All_Endpoints {\n${members.join('')}}\n`
}

/** Endpoints refer to no schema of a model, only to those of files. */
const asItIs = (name: string): string => fileTypeName(name) ?? name
