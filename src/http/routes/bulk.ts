import { several, underForms, upTo } from '../../openapi/bodies.ts'
import { body, jsonContent } from '../../openapi/operation.ts'
import { DRY_RUN } from '../../openapi/query-parameters.ts'
import { schemaNames } from '../../openapi/record-schemas.ts'
import { object, ref, strictObject, TEXT } from '../../openapi/schema.ts'
import { arrayJson, type RecordJson } from '../../reads/record-json.ts'
import { MAX_BULK_RECORDS } from '../../records/write-requests.ts'
import type { ModelRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { writeOf } from '../preconditions.ts'
import { consequencesJson, FORECAST } from './records.ts'

/** Description of the answers of bulk writes. */
const WRITTEN = 'The records as they are now; of a dry run, as they would be, new ones with provisional ids'

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
        const written = responses.success(WRITTEN, jsonContent(object(several(model))))
        return {
          operationId: `bulkCreate${model.name}`,
          summary: `Create records of ${model.label}, all or none`,
          description: 'Up to 1,000 in one transaction. Errors are by `<index>.<field>`.',
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
        const item = (schema: string) => strictObject({ id: { type: 'integer' }, data: ref(schema) })
        const members = (schema: string) => ({ updates: upTo(MAX_BULK_RECORDS, item(schema)) })
        const sent = { anyOf: [underForms(forms, 'update', members, names.update), ref('selectionUpdate')] }
        return {
          operationId: `bulkUpdate${model.name}`,
          summary: `Change records of ${model.label}, all or none`,
          description:
            'Up to 1,000 by id, each with data of its own, or up to 100,000 that match filters, all with the same data.',
          tag: model.name,
          parameters: [DRY_RUN],
          requestBody: body(jsonContent(sent)),
          answers: { 200: responses.success(WRITTEN, jsonContent(object(several(model)))) },
          failures: ['conflict'],
        }
      },
      handler:
        (app, { random }) =>
        async (request, h) => {
          const { reads, records } = app
          const { actor, model, options } = writeOf(request, app, random)
          const updated = await records.updateMany(actor, model, request.payload, options)
          const read = options.dryRun ? reads.all(actor, model, updated) : reads.written(actor, model, updated)
          return jsonResponse(h, `{${members(await read)}}`)
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
          description: 'Up to 1,000 by id, or up to 100,000 that match filters. An id that is not there is a 400.',
          tag: model.name,
          parameters: [DRY_RUN],
          requestBody: body(jsonContent(sent)),
          answers: {
            200: responses.success('The records that were deleted; of a dry run, those that would be', jsonContent(removed)),
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

/** The result of a bulk operation, as members of a JSON object. */
const members = (records: readonly RecordJson[]): string => `"data":${arrayJson(records)},"total":${records.length}`
