import type { Model } from '../../model/model.ts'
import { underForms, wholeOrPart } from '../../openapi/bodies.ts'
import { body, jsonContent, type ParameterObject, type RequestBody } from '../../openapi/operation.ts'
import { DRY_RUN, projectionParameters } from '../../openapi/query-parameters.ts'
import { schemaNames } from '../../openapi/record-schemas.ts'
import type { FailureName } from '../../openapi/responses.ts'
import { COUNT_SCHEMA, nullable, object, oneName, ref, type Schema, strictObject, TEXT, TEXTS } from '../../openapi/schema.ts'
import type { RecordJson } from '../../reads/record-json.ts'
import type { VisibleRemovals } from '../../records/outcomes.ts'
import { MAX_SELECTED } from '../../records/write-requests.ts'
import type { ModelRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { MULTIPART } from '../multipart.ts'
import { ifMatch, recordResponse, writeOf } from '../preconditions.ts'
import { writeByForm } from '../record-form.ts'
import { actorOf, modelKeyOf, queryOf, readOptionsOf, recordIdOf } from '../request.ts'
import { isForm } from '../upload-body.ts'

/** Path parameter: the id of a record. */
export const RECORD_ID: ParameterObject = {
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
export const IF_MATCH = ifHeader('If-Match', 'Only if the record is still at this version, as its `ETag` names it')
const IF_NONE_MATCH = ifHeader('If-None-Match', 'Only if the record is no longer what this `ETag` names')

/** The body of a write by filters. @param mandatory names of the further members that it must have */
export const selection = (members: Readonly<Record<string, Schema>>, mandatory = Object.keys(members)): Schema =>
  strictObject(
    {
      filters: { ...TEXTS, description: 'As the parameter of lists; all must match' },
      any: { ...TEXTS, description: 'As the parameter of lists' },
      search: { ...TEXT, description: 'Words, as the parameter `q` of searches' },
      expected_total: { type: 'integer', minimum: 0, maximum: MAX_SELECTED, description: 'Another number of matches is a 409' },
      ...members,
    },
    ['filters', 'expected_total', ...mandatory],
  )

/** Where the words of a search are in a record. */
export const HIT_MATCHES: Schema = {
  type: 'object',
  additionalProperties: {
    type: 'array',
    items: { type: 'array', items: COUNT_SCHEMA, minItems: 2, maxItems: 2, description: 'Start and length' },
  },
  description: 'Where in each field',
}

/** Schemas that the operations of all models have in common. Lower case, so that no model's schema has the same name. */
export const RECORD_SCHEMAS: Readonly<Record<string, Schema>> = {
  selection: selection({}),
  selectionUpdate: selection(
    {
      data: { type: 'object', description: 'Values of fields' },
      form_id: TEXT,
      etags: { type: 'boolean', description: 'Answers entity tags' },
    },
    ['data'],
  ),
  consequences: {
    type: 'array',
    items: object({ model: TEXT, action: oneName(['cascade', 'set_null']), count: COUNT_SCHEMA }),
    description: 'What happens to records that refer to them; none if the deletion is blocked',
  },
  blockers: {
    type: 'array',
    items: object({ model: nullable(TEXT), field: nullable(TEXT), count: COUNT_SCHEMA }),
    description: 'The references that prevent it; without a name for models that the user may not view',
  },
  searchHits: {
    type: 'array',
    items: object({ id: { type: 'integer', minimum: 1 }, score: { type: 'number' }, matches: HIT_MATCHES }),
  },
  missing: {
    ...{ type: 'integer', minimum: 1 },
    description: 'Records not searched yet, or as they were before a change of many; also in the header `Search-Missing`',
  },
  total: { ...COUNT_SCHEMA, description: 'How many there are on all pages' },
  notices: { ...TEXTS, description: 'What to know of the result' },
}

/** The consequences of a deletion that is tried. */
export const FORECAST = { consequences: ref('consequences'), blocked_by: ref('blockers') } as const

/** The consequences of a deletion, as members of a JSON object. */
export const consequencesJson = ({ consequences, blockedBy }: VisibleRemovals): string =>
  `"consequences":${JSON.stringify(consequences)},"blocked_by":${JSON.stringify(blockedBy)}`

/** The body of a write: JSON, or for a model with files a form of that JSON and of files. */
function recordBody({ fileFields }: Model, data: Schema): RequestBody {
  if (fileFields.length === 0) return body(jsonContent(data))
  const files = fileFields.map(({ name }) => [name, { description: 'One part for each file' }] as const)
  return body({ ...jsonContent(data), [MULTIPART]: { schema: object({ data, ...Object.fromEntries(files) }, ['data']) } })
}

const failuresOfFiles = ({ fileFields }: Model): readonly FailureName[] => (fileFields.length === 0 ? [] : ['tooLarge', 'full'])

/** Creation, reading, change and deletion of one record. */
export function recordRoutes({ registry, roots: { models } }: RouteSource): ModelRoute[] {
  const forms = registry.withFiles.length > 0 ? ({ takesUpload: 'forms' } as const) : {}
  const path = `${models}/{model}/{record_id}`
  return [
    {
      method: 'POST',
      path: `${models}/{model}`,
      access: 'add',
      ...forms,
      describe({ model, responses, ...forms }) {
        const names = schemaNames(model)
        const one = jsonContent(object({ data: ref(names.record) }))
        return {
          operationId: `create${model.name}`,
          summary: `Create a record of ${model.label}`,
          description: '`form_id` applies the fields and rules of a form as well. Fields that are left out get their default.',
          tag: model.name,
          parameters: [DRY_RUN],
          requestBody: recordBody(
            model,
            underForms(forms, 'create', (schema) => ({ data: ref(schema) }), names.create),
          ),
          answers: {
            200: responses.success('Of a dry run: what would be stored, with a provisional id', one),
            201: responses.success('The new record', one, ['Location', 'ETag']),
          },
          failures: ['conflict', ...failuresOfFiles(model)],
        }
      },
      handler:
        (app, { random, connections }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options } = writeOf(request, app, random)
          const create = (body: unknown) => records.create(actor, model, body, options)
          const record = await (isForm(request)
            ? writeByForm(request, { app, connections, isDryRun: options.dryRun }, create)
            : create(request.payload))
          if (options.dryRun) return jsonResponse(h, `{"data":${(await reads.one(actor, model, record)).text}}`)
          const json = await reads.writtenOne(actor, model, record)
          return recordResponse(h, json, { status: 201, location: `${models}/${model}/${record.id}` })
        },
    },
    {
      method: 'GET',
      path,
      access: 'view',
      describe: ({ model, registry, responses }) => ({
        operationId: `read${model.name}`,
        summary: `Read a record of ${model.label}`,
        description: 'Related records are nested, by their id only if the user may not view them.',
        tag: model.name,
        parameters: [RECORD_ID, ...projectionParameters(model, registry), IF_NONE_MATCH],
        answers: {
          200: responses.success('The record', jsonContent(object({ data: wholeOrPart(model) })), ['ETag']),
          304: responses.success('The record is what `If-None-Match` names', undefined, ['ETag']),
        },
        failures: ['notFound'],
      }),
      handler: (app) => async (request, h) =>
        recordResponse(
          h,
          await app.reads.get(
            actorOf(request),
            modelKeyOf(request),
            recordIdOf(request),
            queryOf(request),
            readOptionsOf(request, app),
          ),
        ),
    },
    {
      method: 'PUT',
      path,
      access: 'change',
      ...forms,
      describe({ model, responses, ...forms }) {
        const names = schemaNames(model)
        return {
          operationId: `update${model.name}`,
          summary: `Change a record of ${model.label}`,
          description: 'What `data` leaves out stays as it is. A missing record or a form of another model is a 400.',
          tag: model.name,
          parameters: [RECORD_ID, IF_MATCH, DRY_RUN],
          requestBody: recordBody(
            model,
            underForms(forms, 'update', (schema) => ({ data: ref(schema) }), names.update),
          ),
          answers: {
            200: responses.success('The record as it is now', jsonContent(object({ data: ref(names.record) })), ['ETag']),
          },
          failures: ['conflict', 'changed', ...failuresOfFiles(model)],
        }
      },
      handler:
        (app, { random, connections }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options: wanted } = writeOf(request, app, random)
          const options = { ...wanted, precondition: ifMatch(request) }
          const update = (body: unknown) => records.update(actor, model, recordIdOf(request), body, options)
          const record = await (isForm(request)
            ? writeByForm(request, { app, connections, isDryRun: options.dryRun }, update)
            : update(request.payload))
          const read = options.dryRun ? reads.one(actor, model, record) : reads.writtenOne(actor, model, record)
          return recordResponse(h, await read)
        },
    },
    {
      method: 'DELETE',
      path,
      access: 'delete',
      describe({ model, responses }) {
        const data = ref(schemaNames(model).record)
        const removed = { anyOf: [object({ message: TEXT, data }), object({ data, ...FORECAST })] }
        return {
          operationId: `delete${model.name}`,
          summary: `Delete a record of ${model.label}`,
          description:
            'Records that refer to it are deleted, changed or prevent it, as the `on_delete` of the reference says. A dry run counts them.',
          tag: model.name,
          parameters: [RECORD_ID, IF_MATCH, DRY_RUN],
          answers: { 200: responses.success('The record that was deleted', jsonContent(removed)) },
          failures: ['conflict', 'notFound', 'changed'],
        }
      },
      handler:
        (app, { random }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options: wanted } = writeOf(request, app, random)
          const [id, options] = [recordIdOf(request), { ...wanted, precondition: ifMatch(request) }]
          if (options.dryRun) {
            const forecast = await records.forecastRemoval(actor, model, id, options)
            const { text } = await only(reads.all(actor, model, forecast.records))
            return jsonResponse(h, `{"data":${text},${consequencesJson(forecast)}}`)
          }
          const record = await records.remove(actor, model, id, options)
          const { text } = await reads.writtenOne(actor, model, record)
          return jsonResponse(h, `{"message":"Record deleted successfully","data":${text}}`)
        },
    },
  ]
}

async function only(written: Promise<readonly RecordJson[]>): Promise<RecordJson> {
  const [json] = await written
  if (json === undefined) throw new Error('A record was not written')
  return json
}
