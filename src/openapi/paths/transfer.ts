import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { DELIMITERS, FORMATS, MEDIA_TYPES } from '../../query/formats.ts'
import type { AccessRules } from '../../service/access/access-rules.ts'
import type { ModelForms } from '../schemas/bodies.ts'
import { answeredValue } from '../schemas/fields.ts'
import { COUNT, object, type Schema, TEXT } from '../schemas/schema.ts'
import { READ, WRITE, withoutToken } from './access.ts'
import { body, type Content, json, type Parameter, type PathItem } from './operation.ts'
import { exportParameters } from './query-parameters.ts'
import type { Responses } from './responses.ts'

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
      200: responses.success('The file', asFile(records), 'default', ['Content-Disposition']),
      ...responses.failures('default', ...READ),
    },
  }
}

/** A record as it is exported: stored fields, related records by id. */
function exportedRecord(model: Model): Schema {
  const members = model.visibleFields.map((field) => [field.name, answeredValue(field)] as const)
  return object(Object.fromEntries(members), ['id'])
}

function importFile({ model, forms, generatedForm, responses }: TransferPathsOptions) {
  const names = [...forms.map(({ form }) => form.name), ...(generatedForm === undefined ? [] : [generatedForm])]
  const keys = model.visibleFields.filter(({ unique }) => unique).map(({ name }) => name)
  const outcome = object({
    message: TEXT,
    dry_run: { type: 'boolean' },
    created: COUNT,
    updated: COUNT,
    total: COUNT,
    ignored: { type: 'array', items: TEXT, description: "Columns of the file that are the server's to set" },
  })
  const file: Schema = { description: 'The file. Its media type or its name determines the format' }
  const form = { 'multipart/form-data': { schema: { ...object({ file }), additionalProperties: false } } }
  return {
    operationId: `import${model.name}`,
    summary: `Import ${model.label} from a file, all or none`,
    description:
      'Takes what an export gives. Every record is held to what a create is held to; errors are by `<row>.<field>`, rows from 1.',
    tags: [model.name],
    parameters: [
      flag('dry_run', 'Find out what would come of it, and change nothing'),
      query('delimiter', 'Of a CSV file; found in its header when absent', {
        type: 'string',
        enum: Object.keys(DELIMITERS),
      }),
      query('upsert_by', 'A unique field: records that have the same in it are updated', { type: 'string', enum: keys }),
      ...(names.length === 0 ? [] : [query('form_id', 'The form to hold the records to', { type: 'string', enum: names })]),
    ],
    requestBody: body({ ...asFile({ type: 'array', items: { type: 'object' } }), ...form }),
    responses: {
      200: responses.success('What came of it', json(outcome), 'upload'),
      ...responses.failures('upload', ...WRITE),
    },
  }
}

const query = (name: string, description: string, schema: Schema): Parameter => ({ name, in: 'query', description, schema })

const flag = (name: string, description: string): Parameter => query(name, description, { type: 'boolean', default: false })

/** The same records in every file format. */
const asFile = (records: Schema): Content =>
  Object.fromEntries(FORMATS.map((format) => [MEDIA_TYPES[format], { schema: format === 'json' ? records : TEXT }]))
