import { HISTORY, VIAS } from '../history/history-recorder.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { envelope } from './bodies.ts'
import { jsonContent, type OperationObject, type ParameterObject } from './operation.ts'
import { plainListParameters } from './query-parameters.ts'
import { READ, type Responses } from './responses.ts'
import { MOMENT, nullable, object, oneName, ref, type Schema, TEXT } from './schema.ts'

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

/** The history of a record. */
export const recordHistory = (model: Model, registry: Registry, id: ParameterObject, responses: Responses): OperationObject => ({
  operationId: `history${model.name}`,
  summary: `The history of a record of ${model.label}`,
  description: 'Each create, update and delete with the values before and after; that of a deleted record is for superusers.',
  tags: [model.name],
  parameters: [id, ...plainListParameters(registry.expect(HISTORY), registry)],
  responses: { ...historyAnswers(responses), ...responses.failures('default', ...READ, 'notFound') },
})

/** The successful response of a history. */
export const historyAnswers = (responses: Responses) => ({
  200: responses.success('A page of changes, the latest first', jsonContent(object(envelope(ref('historyEntry'))))),
})
