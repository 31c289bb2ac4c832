import { RECORD_EVENTS } from '../config/webhook-settings.ts'
import type { Registry } from '../model/registry.ts'
import { envelope } from './bodies.ts'
import { body, jsonContent, type OperationObject, type ParameterObject, type Paths, withPatch } from './operation.ts'
import { PAGE } from './query-parameters.ts'
import { READ, type Responses, type Roots, WRITE } from './responses.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

const ID: ParameterObject = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } }
const STATUS = oneName(['pending', 'delivered', 'failed'])
const ON_STATUS: ParameterObject = { name: 'status', in: 'query', description: 'Only deliveries that stand so', schema: STATUS }
const FLAG: Schema = { type: 'boolean' }
const LOG = 'What was sent, each attempt, and the beginning of the latest answer.'
const SECRET: Schema = { ...TEXT, description: 'What messages are signed with; in the answer that makes it and in no other' }

/** Schemas of subscriptions and deliveries. Lower case, so that no model's schema has the same name. */
export function webhookSchemas(registry: Registry): Record<string, Schema> {
  // No `format: uri`: the URL is returned as it was sent, which may be https://bücher.de.
  const url: Schema = { type: 'string', description: 'An http or https URL' }
  const events: Schema = { type: 'array', items: oneName(RECORD_EVENTS), minItems: 1 }
  const models: Schema = { type: 'array', items: oneName(registry.public.map(({ key }) => key)), description: 'All, when empty' }
  const subscription = {
    id: { type: 'integer' },
    url,
    events,
    models: { type: 'array', items: TEXT },
    active: FLAG,
    disabled_by: nullable(oneName(['hand', 'settings', 'gone', 'failing'])),
    failing_since: nullable(MOMENT),
    last_failure_at: nullable(MOMENT),
    from_settings: FLAG,
    pending: { ...COUNT_SCHEMA, description: 'Deliveries that are still to be made' },
    created_at: MOMENT,
    updated_at: MOMENT,
  } as const
  const attempt = object({ at: MOMENT, status: nullable(COUNT_SCHEMA), ms: COUNT_SCHEMA, error: nullable(TEXT) })
  const delivery = {
    id: { type: 'integer' },
    webhook_id: { type: 'integer' },
    message_id: TEXT,
    event: TEXT,
    model: TEXT,
    record_id: nullable({ type: 'integer' }),
    timestamp: MOMENT,
    data: { type: ['object', 'null'], description: 'The record as it is sent' },
    status: STATUS,
    attempts: { type: 'array', items: attempt },
    response: { ...TEXT, description: 'The beginning of what the receiver answered last' },
    next_attempt_at: nullable(MOMENT),
  } as const
  return {
    webhook: object(subscription),
    webhookWithSecret: object({ ...subscription, secret: SECRET }),
    webhookInput: strictObject({ url, events, models, secret: SECRET, active: FLAG }, ['url']),
    webhookChange: strictObject({ url, events, models, active: FLAG }, []),
    webhookDelivery: object(delivery),
  }
}

/** Operations on webhook subscriptions and deliveries; for superusers. */
export function webhookPaths({ webhooks }: Roots, responses: Responses): Paths {
  const tags = ['webhooks']
  const data = (schema: string) => jsonContent(object({ data: ref(schema) }))
  const some = (schema: string): Schema => ({ type: 'array', items: ref(schema) })
  const success = (description: string, schema: string) => responses.success(description, data(schema))
  const read = responses.failures('default', ...READ)
  const ofOne = responses.failures('default', ...READ, 'notFound')
  const write = responses.failures('default', ...WRITE)
  const writeOne = responses.failures('default', ...WRITE, 'notFound')
  const conflict = responses.failures('default', 'conflict')
  const page = (schema: string) => responses.success('A page', jsonContent(object(envelope(ref(schema)))))
  const inputs = { anyOf: [ref('webhookInput'), strictObject({ webhooks: { ...some('webhookInput'), minItems: 1 } })] }
  const made = {
    anyOf: [object({ data: ref('webhookWithSecret') }), object({ data: some('webhookWithSecret'), total: COUNT_SCHEMA })],
  }
  const deliveries = (operationId: string, summary: string, parameters: readonly ParameterObject[]): OperationObject => ({
    ...{ operationId, summary, description: LOG, tags, parameters: [...parameters, ...PAGE, ON_STATUS] },
    responses: { 200: page('webhookDelivery'), ...(parameters.length === 0 ? read : ofOne) },
  })
  const one = { tags, parameters: [ID] }
  return {
    [webhooks]: {
      get: {
        ...{
          operationId: 'listWebhooks',
          summary: 'List webhooks',
          description: 'Those of the settings included; without secrets.',
          tags,
          parameters: PAGE,
        },
        responses: { 200: page('webhook'), ...read },
      },
      post: {
        ...{
          operationId: 'createWebhooks',
          summary: 'Subscribe a receiver, or several, to changes',
          description: 'Each message is sent at least once, until the receiver answers 2xx. Without `secret` one is made.',
          tags,
        },
        requestBody: body(jsonContent(inputs)),
        responses: { 201: responses.success('What was made, with the secrets', jsonContent(made)), ...write },
      },
    },
    [`${webhooks}/{id}`]: {
      get: {
        operationId: 'readWebhook',
        summary: 'Read a webhook',
        description: 'Without its secret, which only its creation and rotation return.',
        ...one,
        responses: { 200: success('The webhook', 'webhook'), ...ofOne },
      },
      ...withPatch({
        ...{
          operationId: 'updateWebhook',
          summary: 'Change a webhook, disable or enable it',
          description: 'What is left out stays as it is. A webhook of the settings can only be disabled and enabled.',
          ...one,
        },
        requestBody: body(jsonContent(ref('webhookChange'))),
        responses: { 200: success('The webhook as it is now', 'webhook'), ...writeOne },
      }),
      delete: {
        ...{
          operationId: 'deleteWebhook',
          summary: 'Remove a webhook with its deliveries',
          description: 'Pending deliveries are not made. A webhook of the settings is removed there.',
          ...one,
        },
        responses: {
          200: responses.success('What was removed', jsonContent(object({ message: TEXT, data: ref('webhook') }))),
          ...writeOne,
        },
      },
    },
    [`${webhooks}/{id}/rotate`]: {
      post: {
        ...{
          operationId: 'rotateWebhook',
          summary: 'Give a webhook another secret; the old one signs for a day more',
          description: 'Without `secret` one is made. A secret of the settings is changed there.',
          ...one,
        },
        requestBody: { required: false, content: jsonContent(strictObject({ secret: SECRET }, [])) },
        responses: { 200: success('The webhook with its new secret', 'webhookWithSecret'), ...writeOne },
      },
    },
    [`${webhooks}/{id}/test`]: {
      post: {
        ...{
          operationId: 'testWebhook',
          summary: 'Send an event that tells of no record, once',
          description: 'Waits for the answer of the receiver and returns it.',
          ...one,
        },
        responses: { 200: success('What came of it', 'webhookDelivery'), ...writeOne },
      },
    },
    [`${webhooks}/{id}/deliveries`]: { get: deliveries('listDeliveriesOfWebhook', 'List deliveries of a webhook', [ID]) },
    [`${webhooks}/deliveries`]: { get: deliveries('listDeliveries', 'List deliveries of all webhooks', []) },
    [`${webhooks}/deliveries/{id}/redeliver`]: {
      post: {
        ...{
          operationId: 'redeliver',
          summary: 'Deliver once more, under the same id',
          description: 'Also where the receiver has answered 2xx before. The webhook must be active.',
          ...one,
        },
        responses: { 202: success('The delivery, pending', 'webhookDelivery'), ...writeOne, ...conflict },
      },
    },
  }
}
