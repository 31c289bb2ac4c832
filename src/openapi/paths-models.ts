import type { AccessRules } from '../access/access-rules.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { MAX_SELECTED } from '../records/selection.ts'
import { MAX_BULK_RECORDS } from '../records/write-requests.ts'
import { aggregateSchema, type ModelForms, pageEnvelope, several, underForms, upTo, wholeOrPart } from './bodies.ts'
import { body, jsonContent, type ParameterObject, type Paths, withPatch } from './operation.ts'
import { recordHistory } from './paths-history.ts'
import { mockPaths, transferPaths } from './paths-transfer.ts'
import { aggregateParameters, DRY_RUN, listParameters, projectionParameters, searchParameters } from './query-parameters.ts'
import { schemaNames } from './record-schemas.ts'
import { READ, type Responses, WRITE, withoutToken } from './responses.ts'
import { COUNT_SCHEMA, object, oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

export interface ModelPathsOptions extends ModelForms {
  readonly model: Model
  readonly registry: Registry
  readonly access: AccessRules
  readonly responses: Responses
  /** Root path of the Models API, relative to the base path. */
  readonly root: string
}

/** Path parameter: the id of a record. */
const RECORD_ID: ParameterObject = {
  name: 'record_id',
  in: 'path',
  required: true,
  description: 'The id of the record',
  schema: { type: 'integer', minimum: 0 },
}

const ifHeader = (name: 'If-Match' | 'If-None-Match', description: string): ParameterObject => ({
  name,
  in: 'header',
  description,
  schema: TEXT,
})
const IF_MATCH = ifHeader('If-Match', 'Only if the record is still at this version, as its `ETag` names it')
const IF_NONE_MATCH = ifHeader('If-None-Match', 'Only if the record is no longer what this `ETag` names')

/** Description of the answers of bulk writes. */
const WRITTEN = 'The records as they are now; of a dry run, as they would be, new ones with provisional ids'

const texts = (description: string): Schema => ({ type: 'array', items: TEXT, description })

/** The body of a write by filters. */
const selection = (members: Readonly<Record<string, Schema>>): Schema =>
  strictObject(
    {
      filters: texts('As the parameter of lists; all must match'),
      any: texts('As the parameter of lists'),
      search: { ...TEXT, description: 'Words, as the parameter `q` of searches' },
      expected_total: { type: 'integer', minimum: 0, maximum: MAX_SELECTED, description: 'Another number of matches is a 409' },
      ...members,
    },
    ['filters', 'expected_total', ...Object.keys(members).filter((name) => name !== 'form_id')],
  )

const MATCHES: Schema = {
  type: 'array',
  items: { type: 'array', items: COUNT_SCHEMA, minItems: 2, maxItems: 2, description: 'Start and length' },
}

/** Schemas that the operations of all models have in common. Lower case, so that no model's schema has the same name. */
export const MODEL_SCHEMAS: Readonly<Record<string, Schema>> = {
  selection: selection({}),
  selectionUpdate: selection({ data: { type: 'object', description: 'Values of fields' }, form_id: TEXT }),
  consequences: {
    type: 'array',
    items: object({ model: TEXT, action: oneName(['cascade', 'set_null']), count: COUNT_SCHEMA }),
    description: 'What happens to records that refer to them; none if the deletion is blocked',
  },
  blockers: {
    type: 'array',
    items: object({ model: TEXT, field: TEXT, count: COUNT_SCHEMA }),
    description: 'The references that prevent it',
  },
  searchHit: object({
    id: { type: 'integer', minimum: 1 },
    score: { type: 'number' },
    matches: { type: 'object', additionalProperties: MATCHES, description: 'Where in each field' },
  }),
  notices: { type: 'array', items: TEXT, description: 'What the searcher should know of the result' },
}

const FORECAST = { consequences: ref('consequences'), blocked_by: ref('blockers') } as const

/** All operations of one model. */
export function modelPaths(options: ModelPathsOptions): Paths {
  const { model, root } = options
  const path = `${root}/${model.key}`
  return {
    [path]: { get: list(options), post: create(options) },
    [`${path}/search`]: { get: search(options) },
    [`${path}/aggregate`]: { get: aggregate(options) },
    ...mockPaths(options),
    ...transferPaths(options, path),
    [`${path}/bulk`]: { post: createMany(options), ...withPatch(updateMany(options)), delete: deleteMany(options) },
    [`${path}/{record_id}/history`]: { get: recordHistory(model, options.registry, RECORD_ID, options.responses) },
    [`${path}/{record_id}`]: { get: read(options), ...withPatch(update(options)), delete: remove(options) },
  }
}

function list({ model, registry, responses, access }: ModelPathsOptions) {
  return {
    operationId: `list${model.name}`,
    summary: `List ${model.label}`,
    description: 'Those that the user may view, a page at a time. Every order ends in `id`, so pages do not overlap.',
    tags: [model.name],
    ...withoutToken(access, 'view', model),
    parameters: listParameters(model, registry),
    responses: {
      200: responses.success('A page of records', jsonContent(object(pageEnvelope(model)))),
      ...responses.failures('default', ...READ),
    },
  }
}

function search({ model, registry, responses, access }: ModelPathsOptions) {
  const members = { ...pageEnvelope(model), hits: { type: 'array', items: ref('searchHit') }, notices: ref('notices') } as const
  const required = Object.keys(members).filter((name) => name !== 'notices')
  return {
    operationId: `search${model.name}`,
    summary: `Search ${model.label}`,
    description:
      'Finds the records with all words of `q`, or with any of them if no record has all. The last word may be incomplete.',
    tags: [model.name],
    ...withoutToken(access, 'view', model),
    parameters: searchParameters(model, registry),
    responses: {
      200: responses.success('A page of records, the best first', jsonContent(object(members, required))),
      ...responses.failures('default', ...READ),
    },
  }
}

function aggregate({ model, registry, responses, access }: ModelPathsOptions) {
  return {
    operationId: `aggregate${model.name}`,
    summary: `Totals of ${model.label}, by group`,
    description: 'Of all records that match and that the user may view. More than 1,000 groups are a 400.',
    tags: [model.name],
    ...withoutToken(access, 'view', model),
    parameters: aggregateParameters(model, registry),
    responses: {
      200: responses.success('The groups, in the order of their values', jsonContent(aggregateSchema(model))),
      ...responses.failures('default', ...READ),
    },
  }
}

function create({ model, forms, generatedForm, responses, access }: ModelPathsOptions) {
  const names = schemaNames(model)
  return {
    operationId: `create${model.name}`,
    summary: `Create a record of ${model.label}`,
    description: '`form_id` applies the fields and rules of a form as well. Fields that are left out get their default.',
    tags: [model.name],
    ...withoutToken(access, 'add', model),
    parameters: [DRY_RUN],
    requestBody: body(
      jsonContent(underForms({ forms, generatedForm }, 'create', (schema) => ({ data: ref(schema) }), names.create)),
    ),
    responses: {
      200: responses.success(
        'Of a dry run: what would be stored, with a provisional id',
        jsonContent(object({ data: ref(names.record) })),
      ),
      201: responses.success('The new record', jsonContent(object({ data: ref(names.record) })), ['Location', 'ETag']),
      ...responses.failures('default', ...WRITE, 'conflict'),
    },
  }
}

function createMany({ model, forms, generatedForm, responses, access }: ModelPathsOptions) {
  const names = schemaNames(model)
  const members = (schema: string) => ({ records: upTo(MAX_BULK_RECORDS, ref(schema)) })
  const written = responses.success(WRITTEN, jsonContent(object(several(model))))
  return {
    operationId: `bulkCreate${model.name}`,
    summary: `Create records of ${model.label}, all or none`,
    description: 'Up to 1,000 in one transaction. Errors are by `<index>.<field>`.',
    tags: [model.name],
    ...withoutToken(access, 'add', model),
    parameters: [DRY_RUN],
    requestBody: body(jsonContent(underForms({ forms, generatedForm }, 'create', members, names.create))),
    responses: {
      200: written,
      201: written,
      ...responses.failures('default', ...WRITE, 'conflict'),
    },
  }
}

function read({ model, registry, responses, access }: ModelPathsOptions) {
  return {
    operationId: `read${model.name}`,
    summary: `Read a record of ${model.label}`,
    description: 'Related records are nested, by their id only if the user may not view them.',
    tags: [model.name],
    ...withoutToken(access, 'view', model),
    parameters: [RECORD_ID, ...projectionParameters(model, registry), IF_NONE_MATCH],
    responses: {
      200: responses.success('The record', jsonContent(object({ data: wholeOrPart(model) })), ['ETag']),
      304: responses.success('The record is what `If-None-Match` names', undefined, ['ETag']),
      ...responses.failures('default', ...READ, 'notFound'),
    },
  }
}

function update({ model, forms, generatedForm, responses, access }: ModelPathsOptions) {
  const names = schemaNames(model)
  return {
    operationId: `update${model.name}`,
    summary: `Change a record of ${model.label}`,
    description:
      'What `data` leaves out stays as it is. A record that is not there, or a form that is not one of this model, is a 400.',
    tags: [model.name],
    ...withoutToken(access, 'change', model),
    parameters: [RECORD_ID, IF_MATCH, DRY_RUN],
    requestBody: body(
      jsonContent(underForms({ forms, generatedForm }, 'update', (schema) => ({ data: ref(schema) }), names.update)),
    ),
    responses: {
      200: responses.success('The record as it is now', jsonContent(object({ data: ref(names.record) })), ['ETag']),
      ...responses.failures('default', ...WRITE, 'conflict', 'preconditionFailed'),
    },
  }
}

function updateMany({ model, forms, generatedForm, responses, access }: ModelPathsOptions) {
  const names = schemaNames(model)
  const item = (schema: string) => strictObject({ id: { type: 'integer' }, data: ref(schema) })
  const members = (schema: string) => ({ updates: upTo(MAX_BULK_RECORDS, item(schema)) })
  return {
    operationId: `bulkUpdate${model.name}`,
    summary: `Change records of ${model.label}, all or none`,
    description: 'Up to 1,000 by id, each with data of its own, or up to 100,000 that match filters, all with the same data.',
    tags: [model.name],
    ...withoutToken(access, 'change', model),
    parameters: [DRY_RUN],
    requestBody: body(
      jsonContent({ anyOf: [underForms({ forms, generatedForm }, 'update', members, names.update), ref('selectionUpdate')] }),
    ),
    responses: {
      200: responses.success(WRITTEN, jsonContent(object(several(model)))),
      ...responses.failures('default', ...WRITE, 'conflict'),
    },
  }
}

function remove({ model, responses, access }: ModelPathsOptions) {
  const content = jsonContent({
    anyOf: [
      object({ message: TEXT, data: ref(schemaNames(model).record) }),
      object({ data: ref(schemaNames(model).record), ...FORECAST }),
    ],
  })
  return {
    operationId: `delete${model.name}`,
    summary: `Delete a record of ${model.label}`,
    description:
      'Records that refer to it are deleted, changed or prevent it, as the `on_delete` of the reference says. A dry run counts them.',
    tags: [model.name],
    ...withoutToken(access, 'delete', model),
    parameters: [RECORD_ID, IF_MATCH, DRY_RUN],
    responses: {
      200: responses.success('The record that was deleted', content),
      ...responses.failures('default', ...WRITE, 'conflict', 'notFound', 'preconditionFailed'),
    },
  }
}

function deleteMany({ model, responses, access }: ModelPathsOptions) {
  return {
    operationId: `bulkDelete${model.name}`,
    summary: `Delete records of ${model.label}, all or none`,
    description: 'Up to 1,000 by id, or up to 100,000 that match filters. An id that is not there is a 400.',
    tags: [model.name],
    ...withoutToken(access, 'delete', model),
    parameters: [DRY_RUN],
    requestBody: body(
      jsonContent({ anyOf: [strictObject({ ids: upTo(MAX_BULK_RECORDS, { type: 'integer' }) }), ref('selection')] }),
    ),
    responses: {
      200: responses.success(
        'The records that were deleted; of a dry run, those that would be',
        jsonContent({ anyOf: [object({ message: TEXT, ...several(model) }), object({ ...several(model), ...FORECAST })] }),
      ),
      ...responses.failures('default', ...WRITE, 'conflict'),
    },
  }
}
