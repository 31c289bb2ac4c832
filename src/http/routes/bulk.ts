import type { Model } from '../../model/model.ts'
import { several, underForms, upTo } from '../../openapi/bodies.ts'
import { body, jsonContent } from '../../openapi/operation.ts'
import { DRY_RUN } from '../../openapi/query-parameters.ts'
import { schemaNames } from '../../openapi/record-schemas.ts'
import { object, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { arrayJson, type RecordJson } from '../../reads/record-json.ts'
import { MAX_BULK_RECORDS } from '../../records/write-requests.ts'
import { isObject } from '../../util/json.ts'
import type { ModelRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { writeOf } from '../preconditions.ts'
import { consequencesJson, FORECAST } from './records.ts'

/** Description of the answers of bulk writes. */
const WRITTEN = 'The records as they are, or in a dry run would be'

/** As the header `If-Match`, for one record. */
const IF_MATCH: Schema = { type: 'string' }

/** Creation, change and deletion of many records, all or none. */
export function bulkRoutes({ roots: { models } }: RouteSource): ModelRoute[] {
  const path = `${models}/{model}/bulk`
  return [
    {
      method: 'POST',
      path,
      access: 'add',
      describe({ model, responses, ...forms }) {
        const names = schemaNames(model)
        const members = (schema: string) => ({ records: upTo(MAX_BULK_RECORDS, ref(schema)) })
        const written = responses.success(WRITTEN, writtenMany(model))
        return {
          operationId: `bulkCreate${model.name}`,
          summary: `Create records of ${model.label}, all or none`,
          description: 'Up to 1,000. Errors are by `<index>.<field>`.',
          tag: model.name,
          parameters: [DRY_RUN],
          requestBody: body(jsonContent(underForms(forms, 'create', members, names.create))),
          answers: { 200: written, 201: written },
          failures: ['conflict'],
        }
      },
      handler:
        (app, { random }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options } = writeOf(request, app, random)
          const created = await records.createMany(actor, model, request.payload, options)
          if (options.dryRun) return jsonResponse(h, `{${members(await reads.all(actor, model, created))}}`)
          return jsonResponse(h, `{${members(await reads.written(actor, model, created))}}`, { status: 201 })
        },
    },
    {
      method: 'PUT',
      path,
      access: 'change',
      describe({ model, responses, ...forms }) {
        const names = schemaNames(model)
        const item = (schema: string) =>
          strictObject({ id: { type: 'integer' }, data: ref(schema), if_match: IF_MATCH }, ['id', 'data'])
        const members = (schema: string) => ({ updates: upTo(MAX_BULK_RECORDS, item(schema)) })
        const sent = { anyOf: [underForms(forms, 'update', members, names.update), ref('selectionUpdate')] }
        return {
          operationId: `bulkUpdate${model.name}`,
          summary: `Change records of ${model.label}, all or none`,
          description: 'Up to 1,000 by id, each with its own data, or 100,000 that match filters.',
          tag: model.name,
          parameters: [DRY_RUN],
          requestBody: body(jsonContent(sent)),
          answers: { 200: responses.success(WRITTEN, writtenMany(model)) },
          failures: ['conflict'],
        }
      },
      handler:
        (app, { random }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options } = writeOf(request, app, random)
          const updated = await records.updateMany(actor, model, request.payload, options)
          if (options.dryRun) return jsonResponse(h, `{${members(await reads.all(actor, model, updated))}}`)
          const written = await reads.written(actor, model, updated)
          const tags = asksForTags(request.payload)
            ? `,"etags":${JSON.stringify(written.map(({ version }) => `"${version}"`))}`
            : ''
          return jsonResponse(h, `{${members(written)}${tags}}`)
        },
    },
    {
      method: 'DELETE',
      path,
      access: 'delete',
      describe({ model, responses }) {
        const sent = { anyOf: [strictObject({ ids: upTo(MAX_BULK_RECORDS, { type: 'integer' }) }), ref('selection')] }
        const removed = { anyOf: [object({ message: TEXT, ...several(model) }), object({ ...several(model), ...FORECAST })] }
        return {
          operationId: `bulkDelete${model.name}`,
          summary: `Delete records of ${model.label}, all or none`,
          description: 'Up to 1,000 by id, or 100,000 that match filters. An id that is not there is a 400.',
          tag: model.name,
          parameters: [DRY_RUN],
          requestBody: body(jsonContent(sent)),
          answers: {
            200: responses.success('The records that were, or in a dry run would be, deleted', jsonContent(removed)),
          },
          failures: ['conflict'],
        }
      },
      handler:
        (app, { random }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options } = writeOf(request, app, random)
          if (options.dryRun) {
            const forecast = await records.forecastRemovalOfMany(actor, model, request.payload)
            const written = await reads.all(actor, model, forecast.records)
            return jsonResponse(h, `{${members(written)},${consequencesJson(forecast)}}`)
          }
          const removed = await records.removeMany(actor, model, request.payload, options)
          const message = `${removed.length} records deleted successfully`
          return jsonResponse(h, `{"message":"${message}",${members(await reads.written(actor, model, removed))}}`)
        },
    },
  ]
}

/** The answer of a creation or a change; the same for both, so that documents have it once. */
const writtenMany = (model: Model) =>
  jsonContent(object({ ...several(model), etags: { type: 'array', items: TEXT } }, ['data', 'total']))

/** True for a body that asks for the entity tags of the records: `etags`. */
const asksForTags = (sent: unknown): boolean => isObject(sent) && sent.etags === true

/** The result of a bulk operation, as members of a JSON object. */
const members = (records: readonly RecordJson[]): string => `"data":${arrayJson(records)},"total":${records.length}`
