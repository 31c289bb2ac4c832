import { type Endpoint, takesQuery } from '../code/parse-endpoints.ts'
import { hasDefault } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { answeredValue, isMandatory, settableValue } from './field-schemas.ts'
import { body, type ContentObject, jsonContent, type ParameterObject, type RequestBody } from './operation.ts'
import { creationSchema } from './record-schemas.ts'
import { object, type Schema, TEXT } from './schema.ts'

/** What an endpoint takes and returns. */
export interface EndpointDescription {
  readonly parameters: readonly ParameterObject[]
  readonly requestBody: RequestBody | undefined
  /** What is returned as JSON. */
  readonly answer: Schema
}

/** Bytes of any media type. */
const BYTES: ContentObject = { '*/*': { schema: { type: 'string', format: 'binary' } } }

/** Describes an endpoint as its definition does. A value that the path or the query has is described as JSON would have it. */
export function describeEndpoint(endpoint: Endpoint): EndpointDescription {
  const { input, params, isRaw, output, method } = endpoint
  const fields = [...input.fields.values()]
  const ofPath = params.map((name): ParameterObject => {
    const field = input.fields.get(name)
    return { name, in: 'path', required: true, schema: field === undefined ? TEXT : settableValue({ ...field, required: true }) }
  })
  const others = fields.filter(({ name }) => !params.includes(name))
  const ofQuery = (takesQuery(endpoint) ? others : []).map((field): ParameterObject => {
    const { description, ...schema } = settableValue({ ...field, required: true })
    return {
      ...{ name: field.name, in: 'query', description: description ?? `The field '${field.name}' of the input` },
      ...(isMandatory(field) && !hasDefault(field) ? { required: true } : {}),
      ...(field.type.list ? { style: 'form', explode: true } : {}),
      schema,
    }
  })
  const isMember = (name: string) => !params.includes(name)
  const json = !takesQuery(endpoint) && others.length > 0 ? body(jsonContent(membersSchema(input, isMember))) : undefined
  return {
    parameters: [...ofPath, ...ofQuery],
    requestBody: isRaw && method !== 'GET' ? { required: false, content: BYTES } : json,
    answer:
      output === undefined
        ? {}
        : object(Object.fromEntries([...output.fields].map(([name, each]) => [name, answeredValue(each)]))),
  }
}

/** The schema of a new record of some fields. */
function membersSchema(input: Model, isMember: (name: string) => boolean): Schema {
  const { properties = {}, required = [], ...rest } = creationSchema(input)
  const members = Object.fromEntries(Object.entries(properties).filter(([name]) => isMember(name)))
  const needed = required.filter(isMember)
  return { ...rest, properties: members, required: needed.length === 0 ? undefined : needed }
}
