import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { MAX_FILL_COUNT, mockedModels } from '../../service/mock/mock-requests.ts'
import { DEFAULT_MOCK_COUNT, MAX_MOCK_COUNT, MAX_SEED } from '../../service/mock/mocks.ts'
import { schemaNames } from '../schemas/records.ts'
import { COUNT, object, oneName, ref, type Schema, strictObject, TEXT } from '../schemas/schema.ts'
import { type Roots, WRITE } from './access.ts'
import { body, json, OPEN, type Operation, type Paths } from './operation.ts'
import type { Responses } from './responses.ts'

const SEED: Schema = { type: 'integer', minimum: 0, maximum: MAX_SEED }
const NAMES: Schema = { type: 'array', items: TEXT }

interface MockPathsOptions {
  readonly model: Model
  readonly responses: Responses
  readonly root: string
}

/** Operations that return mock values and the test data of a model. */
export const mockPaths = ({ model, responses, root }: MockPathsOptions): Paths => ({
  [`${root}/${model.key}/mock`]: { get: mock(model, responses) },
  [`${root}/${model.key}/test`]: { get: test(model, responses) },
})

/** Operation that creates mock records. */
export function mockFillPaths(roots: Roots, registry: Registry, responses: Responses): Paths {
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
  const created: Schema = { type: 'object', additionalProperties: COUNT, description: 'How many records, by model' }
  const fill: Operation = {
    operationId: 'fillWithMockData',
    summary: 'Fill the store with mock records, for superusers',
    description: 'In dependency order, a thousand records in each transaction. Mock users have random passwords.',
    tags: ['operations'],
    requestBody: body(json(asked)),
    responses: {
      201: responses.success('Records were created', json(object({ data: object({ seed: SEED, created }) })), 'default'),
      ...responses.failures('default', ...WRITE),
    },
  }
  return { [roots.mock]: { post: fill } }
}

function mock(model: Model, responses: Responses): Operation {
  const count: Schema = { type: 'integer', minimum: 1, maximum: MAX_MOCK_COUNT }
  const records: Schema = { type: 'array', items: ref(schemaNames(model).record) }
  const data = { ...records, description: 'Made up; stored nowhere' }
  return {
    operationId: `mock${model.name}`,
    summary: `Mock data of ${model.label}`,
    tags: [model.name],
    parameters: [
      { name: 'count', in: 'query', description: 'How many records', schema: { ...count, default: DEFAULT_MOCK_COUNT } },
      { name: 'seed', in: 'query', description: 'The same seed gives the same records; any when it is absent', schema: SEED },
    ],
    responses: {
      200: responses.success('Generated records', json(object({ data, count, seed: SEED })), 'default'),
      ...responses.failures('default', 'badRequest', 'unauthenticated', 'forbidden', 'notJson'),
    },
  }
}

function test(model: Model, responses: Responses): Operation {
  const members = {
    model: { type: 'string', const: model.key },
    status: { type: 'string', const: 'ok' },
    fields: NAMES,
    forms: NAMES,
    endpoints: { ...NAMES, description: 'Methods and paths' },
    sample: ref(schemaNames(model).record),
  } as const
  const data = object(
    members,
    Object.keys(members).filter((name) => name !== 'sample'),
  )
  return {
    operationId: `test${model.name}`,
    summary: `What there is of ${model.label}, for everybody`,
    description: 'Reads no stored record.',
    tags: [model.name],
    security: OPEN,
    parameters: [
      { name: 'sample', in: 'query', description: 'Includes a generated record', schema: { type: 'boolean', default: false } },
    ],
    responses: {
      200: responses.success('What there is of the model', json(object({ data })), 'default'),
      ...responses.failures('default', 'badRequest', 'notJson'),
    },
  }
}
