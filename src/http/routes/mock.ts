import { MAX_FILL_COUNT, mockedModels } from '../../mock/mock-requests.ts'
import { DEFAULT_MOCK_COUNT, MAX_MOCK_COUNT, MAX_SEED } from '../../mock/mocks.ts'
import { body, jsonContent } from '../../openapi/operation.ts'
import { schemaNames } from '../../openapi/record-schemas.ts'
import { COUNT_SCHEMA, object, oneName, ref, type Schema, strictObject, TEXT, TEXTS } from '../../openapi/schema.ts'
import type { ApiRoute, ModelRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { actorOf, modelKeyOf, queryOf } from '../request.ts'

const SEED: Schema = { type: 'integer', minimum: 0, maximum: MAX_SEED }

/** Mock values for users who may view a model, and its test endpoint, which needs no token. */
export function mockRoutes({ roots: { models } }: RouteSource): ModelRoute[] {
  return [
    {
      method: 'GET',
      path: `${models}/{model}/mock`,
      access: 'token',
      keys: 'scoped',
      describe({ model, responses }) {
        const count: Schema = { type: 'integer', minimum: 1, maximum: MAX_MOCK_COUNT }
        const records: Schema = { type: 'array', items: ref(schemaNames(model).record) }
        const data = { ...records, description: 'Made up; stored nowhere' }
        return {
          operationId: `mock${model.name}`,
          summary: `Mock data of ${model.label}`,
          description: 'Made from the types, names and limits of the fields.',
          tag: model.name,
          parameters: [
            { name: 'count', in: 'query', description: 'How many records', schema: { ...count, default: DEFAULT_MOCK_COUNT } },
            {
              name: 'seed',
              in: 'query',
              description: 'The same seed gives the same records; any when it is absent',
              schema: SEED,
            },
          ],
          answers: { 200: responses.success('Generated records', jsonContent(object({ data, count, seed: SEED }))) },
          failures: ['forbidden'],
        }
      },
      handler:
        ({ mocks }) =>
        async (request, h) =>
          jsonResponse(h, await mocks.list(actorOf(request), modelKeyOf(request), queryOf(request))),
    },
    {
      method: 'GET',
      path: `${models}/{model}/test`,
      access: 'open',
      limit: 'address',
      describe({ model, responses }) {
        const members = {
          model: { type: 'string', const: model.key },
          status: { type: 'string', const: 'ok' },
          fields: TEXTS,
          forms: TEXTS,
          endpoints: { ...TEXTS, description: 'Methods and paths' },
        } as const
        const data = object({ ...members, sample: ref(schemaNames(model).record) }, Object.keys(members))
        return {
          operationId: `test${model.name}`,
          summary: `What there is of ${model.label}, for everybody`,
          description: 'Reads no stored record.',
          tag: model.name,
          parameters: [
            {
              name: 'sample',
              in: 'query',
              description: 'Includes a generated record',
              schema: { type: 'boolean', default: false },
            },
          ],
          answers: { 200: responses.success('What there is of the model', jsonContent(object({ data }))) },
        }
      },
      handler:
        ({ modelTests }) =>
        (request) =>
          modelTests.describe(modelKeyOf(request), models, queryOf(request)),
    },
  ]
}

/** Creation of mock records. */
export function fillRoutes({ registry, roots, responses }: RouteSource): ApiRoute[] {
  const models: Schema = { type: 'array', items: oneName(registry.public.map(({ key }) => key)), minItems: 1 }
  const every = mockedModels(registry).map(({ key }) => key)
  const asked = strictObject(
    {
      models: { ...models, description: `All of them when it is absent: ${every.join(', ')}` },
      count: { type: 'integer', minimum: 1, maximum: MAX_FILL_COUNT, default: DEFAULT_MOCK_COUNT, description: 'Of each model' },
      seed: SEED,
      locale: { ...TEXT, description: 'Language of names, places and the like, such as `de` or `pt_BR`' },
    },
    [],
  )
  const created: Schema = { type: 'object', additionalProperties: COUNT_SCHEMA, description: 'How many records, by model' }
  const filled = jsonContent(object({ data: object({ seed: SEED, created }) }))
  return [
    {
      method: 'POST',
      path: roots.mock,
      access: 'superuser',
      operationId: 'fillWithMockData',
      summary: 'Fill the store with mock records, for superusers',
      description: 'In dependency order, a thousand records in each transaction. Mock users have random passwords.',
      tag: 'operations',
      requestBody: body(jsonContent(asked)),
      answers: { 201: responses.success('Records were created', filled) },
      failures: ['conflict'],
      handler:
        ({ mockFiller }) =>
        async (request, h) =>
          h.response({ data: await mockFiller.request(actorOf(request), request.payload) }).code(201),
    },
  ]
}
