import { HISTORY, VIAS } from '../../history/history-recorder.ts'
import { envelope } from '../../openapi/bodies.ts'
import { jsonContent } from '../../openapi/operation.ts'
import { DRY_RUN, plainListParameters } from '../../openapi/query-parameters.ts'
import { schemaNames } from '../../openapi/record-schemas.ts'
import type { Responses } from '../../openapi/responses.ts'
import { MOMENT, nullable, object, oneName, ref, type Schema, TEXT } from '../../openapi/schema.ts'
import type { ApiRoute, ModelRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { writeOf } from '../preconditions.ts'
import { actorOf, modelKeyOf, queryOf, recordIdOf } from '../request.ts'
import { RECORD_ID } from './records.ts'

const INTEGER: Schema = { type: 'integer' }

const difference: Schema = {
  type: 'object',
  properties: { before: {}, after: {}, secret: { type: 'boolean', const: true }, hidden: { type: 'boolean', const: true } },
  required: ['before', 'after'],
  description:
    'Null where the record did not exist or the field was empty. Secret values are left out, and with `hidden` those of a time when the user could not view the record',
}

/** Schemas of the history. Lower case, so that no model's schema has the same name. */
export const HISTORY_SCHEMAS: Readonly<Record<string, Schema>> = {
  historyEntry: object({
    id: INTEGER,
    model: TEXT,
    record_id: INTEGER,
    action: oneName(['create', 'update', 'delete']),
    at: MOMENT,
    user: nullable(object({ id: INTEGER, username: nullable(TEXT) })),
    via: oneName(VIAS),
    request_id: nullable(TEXT),
    changes: { type: 'object', additionalProperties: difference, description: 'By field' },
  }),
}

const pageOf = (responses: Responses) => ({
  200: responses.success('A page of changes, the latest first', jsonContent(object(envelope(ref('historyEntry'))))),
})

/** The history of all records. */
export const historyRoutes = ({ registry, roots, responses }: RouteSource): ApiRoute[] => [
  {
    method: 'GET',
    path: roots.history,
    access: 'token',
    keys: 'scoped',
    operationId: 'listHistory',
    summary: 'The history of all records, for superusers',
    description: 'That of deleted records included, the latest change first.',
    tag: 'history',
    parameters: plainListParameters(registry.expect(HISTORY), registry),
    answers: pageOf(responses),
    failures: ['forbidden', 'notFound'],
    handler:
      ({ history }) =>
      async (request, h) =>
        jsonResponse(h, await history.all(actorOf(request), queryOf(request))),
  },
]

/** The history of a record. */
export const recordHistoryRoutes = ({ roots: { models } }: RouteSource): ModelRoute[] => [
  {
    method: 'GET',
    path: `${models}/{model}/{record_id}/history`,
    access: 'view',
    describe: ({ model, registry, responses }) => ({
      operationId: `history${model.name}`,
      summary: `The history of a record of ${model.label}`,
      description: 'Values before and after; of a deleted record for superusers.',
      tag: model.name,
      parameters: [RECORD_ID, ...plainListParameters(registry.expect(HISTORY), registry)],
      answers: pageOf(responses),
      failures: ['notFound'],
    }),
    handler:
      ({ history }) =>
      async (request, h) =>
        jsonResponse(h, await history.ofRecord(actorOf(request), modelKeyOf(request), recordIdOf(request), queryOf(request))),
  },
  {
    method: 'POST',
    path: `${models}/{model}/{record_id}/restore`,
    // Not for clients without a token, whose permission to add is for what they send themselves.
    access: 'token',
    keys: 'scoped',
    describe: ({ model, responses }) => ({
      operationId: `restore${model.name}`,
      summary: `Restore a deleted record of ${model.label}`,
      description: 'With its id and what went with it.',
      tag: model.name,
      parameters: [RECORD_ID, DRY_RUN],
      answers: {
        200: responses.success(
          'The record',
          jsonContent(
            object({ data: ref(schemaNames(model).record), consequences: ref('consequences'), notices: ref('notices') }),
          ),
        ),
      },
      failures: ['forbidden', 'conflict', 'notFound'],
    }),
    handler:
      (app, { random }) =>
      async (request, h) => {
        const { history, reads, records } = app
        const { actor, model, options: common } = writeOf(request, app, random)
        const { dryRun, origin } = common
        const options = { ...common, origin: { ...origin, via: 'restore' as const } }
        const { record, consequences, notices } = await records.restore(actor, model, recordIdOf(request), history, options)
        const { text } = await (dryRun ? reads.one(actor, model, record) : reads.writtenOne(actor, model, record))
        const rest = JSON.stringify({ consequences, notices }).slice(1)
        return jsonResponse(h, `{"data":${text},${rest}`)
      },
  },
]
