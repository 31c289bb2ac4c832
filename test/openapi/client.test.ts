import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resolved } from '../../src/openapi/components.ts'
import type { OpenApiDocument, OperationObject, ParameterObject, RequestBody } from '../../src/openapi/operation.ts'
import { nameBehind, type Schema } from '../../src/openapi/schema.ts'
import { clientTypes } from '../helpers/types/openapi-typescript.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { documentOf, fixture } from './documents.ts'

/** One call of each operation, as somebody would write it with a generated client. */
function everyUse(document: OpenApiDocument): string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => use(document, path, method, operation)),
  )
}

function use({ components }: OpenApiDocument, path: string, method: string, operation: OperationObject): string {
  const given = (place: ParameterObject['in']) =>
    (operation.parameters ?? [])
      .map((parameter) => resolved<ParameterObject>(components, parameter))
      .filter((parameter) => parameter.in === place && (parameter.required === true || place === 'query'))
      .map(({ name, schema }) => [name, sample(schema, components.schemas)])
  const places = (['path', 'query'] as const).filter((place) => given(place).length > 0)
  const params = Object.fromEntries(places.map((place) => [place, Object.fromEntries(given(place))]))
  const { content = {} } = operation.requestBody === undefined ? {} : resolved<RequestBody>(components, operation.requestBody)
  const schema = (content['application/json'] ?? content['application/octet-stream'])?.schema
  const body = schema === undefined ? {} : { body: sample(schema, components.schemas) }
  const [success] = Object.keys(operation.responses).filter((status) => status.startsWith('2'))
  const member = operation.operationId
  return `export async function ${member}() {
  const { data, error, response } = await client.${method.toUpperCase()}('${path}', ${JSON.stringify({ ...(places.length === 0 ? {} : { params }), ...body })})
  const answer: ${success === undefined ? 'undefined' : `Answer<'${member}', ${success}> | undefined`} = data
  return answer ?? error ?? response
}`
}

/** The least that a schema takes. */
function sample(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  const { $ref, anyOf, enum: values, const: constant, type, properties = {}, required = [] } = schema
  if ($ref !== undefined) return sample(schemas[nameBehind($ref)] ?? {}, schemas)
  if (anyOf?.[0] !== undefined) return sample(anyOf[0], schemas)
  if (values !== undefined || constant !== undefined) return values?.[0] ?? constant
  const [first] = typeof type === 'string' ? [type] : (type ?? [])
  if (first === 'array') return [sample(schema.items ?? {}, schemas)]
  if (first === 'object') return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, schemas)]))
  return { string: 'x', boolean: true, integer: 1, number: 1, null: null }[first ?? 'null']
}

const CLIENT = `import createClient from 'openapi-fetch'
import type { operations, paths } from './api.ts'
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:8000' })
type Responses<O extends keyof operations> = operations[O]['responses']
type Answer<O extends keyof operations, S extends keyof Responses<O>> =
  Responses<O>[S] extends { content: Record<string, infer T> } ? T : never
`

/** What a client of the blog gets right, and what its types keep it from. */
const CAREFUL = `
export async function careful() {
  const { data, error } = await client.POST('/api/v1/models/tag', { body: { form_id: 'TagForm', data: { name: 'Knots', slug: 'knots' } } })
  if (error !== undefined) return 'detail' in error ? error.detail.error : error.details
  const color: string | null = data.data.color
  // @ts-expect-error the form does not let the slug be changed
  await client.PUT('/api/v1/models/tag/{record_id}', { params: { path: { record_id: 1 } }, body: { form_id: 'TagForm', data: { slug: 'x' } } })
  // @ts-expect-error no list is sorted by a field that is not there
  await client.GET('/api/v1/models/tag', { params: { query: { sort_by: ['colour'] } } })
  // @ts-expect-error there is no such form
  await client.POST('/api/v1/models/tag', { body: { form_id: 'NoForm', data: { name: 'Knots', slug: 'knots' } } })
  const list = await client.GET('/api/v1/models/post', { params: { query: { fields: ['title', 'author'], sort_order: ['desc'], sort_by: ['rating'] } } })
  // @ts-expect-error a password is never answered
  list.data?.data[0]?.author?.password
  return [color, list.data?.total.toFixed(), list.data?.data[0]?.author?.username]
}
`

describe('a client that openapi-typescript generates', () => {
  test('type-checks a use of every operation', async () => {
    const document = documentOf(await fixture('blog'))
    const uses = everyUse(document)
    assert.ok(uses.length > 70, `there are ${uses.length} operations`)
    const files = { 'api.ts': await clientTypes(JSON.stringify(document)), 'client.ts': [CLIENT, ...uses, CAREFUL].join('\n') }
    assert.equal(await typeCheck(files), '')
  })
})
