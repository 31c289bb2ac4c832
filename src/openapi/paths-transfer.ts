import type { AccessRules } from '../access/access-rules.ts'
import { MAX_FILL_COUNT, mockedModels } from '../mock/mock-requests.ts'
import { DEFAULT_MOCK_COUNT, MAX_MOCK_COUNT, MAX_SEED } from '../mock/mocks.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { DELIMITERS, FORMATS, MEDIA_TYPES } from '../query/formats.ts'
import type { ModelForms } from './bodies.ts'
import { answeredValue } from './field-schemas.ts'
import {
  body,
  type ContentObject,
  jsonContent,
  OPEN,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type Paths,
} from './operation.ts'
import { DRY_RUN, exportParameters } from './query-parameters.ts'
import { schemaNames } from './record-schemas.ts'
import { READ, type Responses, type Roots, WRITE, withoutToken } from './responses.ts'
import { COUNT_SCHEMA, object, oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

interface TransferPathsOptions extends ModelForms {
  readonly model: Model
  readonly registry: Registry
  readonly access: AccessRules
  readonly responses: Responses
}

/** Operations that export and import the records of a model. */
export const transferPaths = (options: TransferPathsOptions, path: string): Record<string, PathItem> => ({
  [`${path}/export`]: { get: exportFile(options) },
  [`${path}/import`]: { post: importFile(options) },
})

function exportFile({ model, registry, access, responses }: TransferPathsOptions) {
  const records: Schema = { type: 'array', items: exportedRecord(model) }
  return {
    operationId: `export${model.name}`,
    summary: `Export ${model.label} as a file`,
    description: 'All that match, as they are at one moment. A file that cannot be finished ends with its connection cut.',
    tags: [model.name],
    ...withoutToken(access, 'view', model),
    parameters: exportParameters(model, registry),
    responses: {
      200: responses.success('The file', asFile(records), ['Content-Disposition']),
      ...responses.failures('default', ...READ),
    },
  }
}

/** A record as it is exported: stored fields, related records by id. */
function exportedRecord(model: Model): Schema {
  const members = model.visibleFields.map((field) => [field.name, answeredValue(field)] as const)
  return object(Object.fromEntries(members), ['id'])
}

/** Schema of what an import answers. Lower case, so that no model's schema has the same name. */
export const TRANSFER_SCHEMAS: Readonly<Record<string, Schema>> = {
  importResult: object({
    message: TEXT,
    dry_run: { type: 'boolean' },
    created: COUNT_SCHEMA,
    updated: COUNT_SCHEMA,
    total: COUNT_SCHEMA,
    ignored: { type: 'array', items: TEXT, description: "Columns of the file that are the server's to set" },
  }),
}

function importFile({ model, forms, generatedForm, responses }: TransferPathsOptions) {
  const names = [...forms.map(({ form }) => form.name), ...(generatedForm === undefined ? [] : [generatedForm])]
  const keys = model.visibleFields.filter(({ unique }) => unique).map(({ name }) => name)
  const file: Schema = { description: 'The file. Its media type or its name determines the format' }
  const form = { 'multipart/form-data': { schema: { ...object({ file }), additionalProperties: false } } }
  return {
    operationId: `import${model.name}`,
    summary: `Import ${model.label} from a file, all or none`,
    description:
      'Takes what an export gives. Every record is held to what a create is held to; errors are by `<row>.<field>`, rows from 1.',
    tags: [model.name],
    parameters: [
      DRY_RUN,
      query('delimiter', 'Of a CSV file; found in its header when absent', {
        type: 'string',
        enum: Object.keys(DELIMITERS),
      }),
      query('upsert_by', 'A unique field: records that have the same in it are updated', { type: 'string', enum: keys }),
      ...(names.length === 0 ? [] : [query('form_id', 'The form to hold the records to', { type: 'string', enum: names })]),
    ],
    requestBody: body({ ...asFile({ type: 'array', items: { type: 'object' } }), ...form }),
    responses: {
      200: responses.success('What came of it', jsonContent(ref('importResult'))),
      ...responses.failures('upload', ...WRITE, 'conflict'),
    },
  }
}

const query = (name: string, description: string, schema: Schema): ParameterObject => ({ name, in: 'query', description, schema })

/** The same records in every file format. */
const asFile = (records: Schema): ContentObject =>
  Object.fromEntries(FORMATS.map((format) => [MEDIA_TYPES[format], { schema: format === 'json' ? records : TEXT }]))

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
  const created: Schema = { type: 'object', additionalProperties: COUNT_SCHEMA, description: 'How many records, by model' }
  const fill: OperationObject = {
    operationId: 'fillWithMockData',
    summary: 'Fill the store with mock records, for superusers',
    description: 'In dependency order, a thousand records in each transaction. Mock users have random passwords.',
    tags: ['operations'],
    requestBody: body(jsonContent(asked)),
    responses: {
      201: responses.success('Records were created', jsonContent(object({ data: object({ seed: SEED, created }) }))),
      ...responses.failures('default', ...WRITE, 'conflict'),
    },
  }
  return { [roots.mock]: { post: fill } }
}

function mock(model: Model, responses: Responses): OperationObject {
  const count: Schema = { type: 'integer', minimum: 1, maximum: MAX_MOCK_COUNT }
  const records: Schema = { type: 'array', items: ref(schemaNames(model).record) }
  const data = { ...records, description: 'Made up; stored nowhere' }
  return {
    operationId: `mock${model.name}`,
    summary: `Mock data of ${model.label}`,
    description: 'Made from the types, names and limits of the fields.',
    tags: [model.name],
    parameters: [
      { name: 'count', in: 'query', description: 'How many records', schema: { ...count, default: DEFAULT_MOCK_COUNT } },
      { name: 'seed', in: 'query', description: 'The same seed gives the same records; any when it is absent', schema: SEED },
    ],
    responses: {
      200: responses.success('Generated records', jsonContent(object({ data, count, seed: SEED }))),
      ...responses.failures('default', 'badRequest', 'unauthenticated', 'forbidden'),
    },
  }
}

function test(model: Model, responses: Responses): OperationObject {
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
      200: responses.success('What there is of the model', jsonContent(object({ data }))),
      ...responses.failures('default', 'badRequest'),
    },
  }
}
