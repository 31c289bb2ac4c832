import { hasDefault } from '../../model/field.ts'
import { several, upTo } from '../../openapi/bodies.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { DRY_RUN } from '../../openapi/query-parameters.ts'
import { actionInputName } from '../../openapi/record-schemas.ts'
import { object, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { arrayJson } from '../../reads/record-json.ts'
import type { ModelAction } from '../../records/actions.ts'
import { MAX_BULK_RECORDS } from '../../records/write-requests.ts'
import type { ActionRoute, ActionSource, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { ifMatch, writeOf } from '../preconditions.ts'
import { actionNameOf } from '../request.ts'
import { IF_MATCH, RECORD_ID, selection } from './records.ts'

/** The actions of the project: on one record, and on those that the body names. */
export function actionRoutes({ roots: { models } }: RouteSource): ActionRoute[] {
  return [
    actionRoute(`${models}/{model}/{record_id}/actions/{action}`, ({ on }) => on !== 'model', {
      operationId: ({ action, model }) => `act${model.name}_${action.name}`,
      body: ({ action }) => strictObject(inputOf(action), mandatoryIn(action)),
      parameters: [RECORD_ID, IF_MATCH],
    }),
    actionRoute(`${models}/{model}/actions/{action}`, ({ on }) => on !== 'record', {
      operationId: ({ action, model }) => `actMany${model.name}_${action.name}`,
      body: ({ action }) => ({
        anyOf: [
          strictObject({ ids: upTo(MAX_BULK_RECORDS, { type: 'integer' }), ...inputOf(action) }, ['ids', ...mandatoryIn(action)]),
          selection(inputOf(action), mandatoryIn(action)),
        ],
      }),
      parameters: [],
    }),
  ]
}

interface ActionParts {
  readonly operationId: (source: ActionSource) => string
  readonly body: (source: ActionSource) => Schema
  readonly parameters: readonly ParameterObject[]
}

const actionRoute = (path: string, isDescribed: (action: ModelAction) => boolean, parts: ActionParts): ActionRoute => ({
  method: 'POST',
  path,
  access: 'action',
  describeAction(source) {
    const { action, model, responses } = source
    if (!isDescribed(action)) return undefined
    return {
      operationId: parts.operationId(source),
      summary: `${action.title}: an action of ${model.label}`,
      description:
        'All records or none. A record that the user may not see is a 404, one for which the condition is false a 409.',
      tag: model.name,
      parameters: [...parts.parameters, DRY_RUN],
      requestBody: {
        ...body(jsonContent(parts.body(source))),
        required: mandatoryIn(action).length > 0 || parts.parameters.length === 0,
      },
      answers: {
        200: responses.success(
          'The records as they are, or in a dry run would be',
          jsonContent(object({ message: TEXT, ...several(model) })),
        ),
      },
      failures: ['notFound', 'conflict', ...(parts.parameters.includes(IF_MATCH) ? (['changed'] as const) : [])],
    }
  },
  handler:
    (app, { random }) =>
    async (request, h) => {
      const { reads, records } = app
      const { actor, model, options: wanted } = writeOf(request, app, random)
      const options = { ...wanted, precondition: ifMatch(request) }
      const id: unknown = request.params.record_id
      const sent = request.payload
      const { message, records: changed } = await records.act(
        actor,
        model,
        actionNameOf(request),
        id === undefined ? undefined : String(id),
        sent,
        options,
      )
      const written = await (options.dryRun ? reads.all(actor, model, changed) : reads.written(actor, model, changed))
      return jsonResponse(h, `{"message":${JSON.stringify(message)},"data":${arrayJson(written)},"total":${written.length}}`)
    },
})

const inputOf = (action: ModelAction): Readonly<Record<string, Schema>> => ({ input: ref(actionInputName(action)) })

/** The input is mandatory if one of its fields is. */
const mandatoryIn = ({ input }: ModelAction): string[] =>
  [...input.fields.values()].some((field) => field.required && !hasDefault(field)) ? ['input'] : []
