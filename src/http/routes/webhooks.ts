import type { Lifecycle, Request } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { RECORD_EVENTS } from '../../config/webhook-settings.ts'
import type { Registry } from '../../model/registry.ts'
import { envelope } from '../../openapi/bodies.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { PAGE } from '../../openapi/query-parameters.ts'
import {
  COUNT_SCHEMA,
  FLAG,
  MOMENT,
  nullable,
  object,
  oneName,
  ref,
  type Schema,
  strictObject,
  TEXT,
} from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS, type PageRequest, pageJson, sliceOf } from '../../query/plan.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { actorOf, parametersOf } from '../request.ts'

const STATUSES = ['pending', 'delivered', 'failed']
const ID: ParameterObject = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } }
const STATUS = oneName(STATUSES)
const ON_STATUS: ParameterObject = { name: 'status', in: 'query', description: 'Only deliveries that stand so', schema: STATUS }
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

/** Webhook subscriptions, their tests, and the delivery log, for superusers. Secrets are returned by `create` and `rotate` only. */
export function webhookRoutes({ roots: { webhooks }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'webhooks', access: 'superuser' } as const
  const ofOne = { ...common, parameters: [ID], failures: ['notFound'] } as const
  const data = (description: string, schema: string) => responses.success(description, jsonContent(object({ data: ref(schema) })))
  const some = (schema: string): Schema => ({ type: 'array', items: ref(schema) })
  const page = (schema: string) => responses.success('A page', jsonContent(object(envelope(ref(schema)))))
  const inputs = { anyOf: [ref('webhookInput'), strictObject({ webhooks: { ...some('webhookInput'), minItems: 1 } })] }
  const made = {
    anyOf: [object({ data: ref('webhookWithSecret') }), object({ data: some('webhookWithSecret'), total: COUNT_SCHEMA })],
  }
  return [
    {
      ...common,
      method: 'GET',
      path: webhooks,
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Those of the settings included; without secrets.',
      parameters: PAGE,
      answers: { 200: page('webhook') },
      handler:
        ({ webhooks: service }) =>
        async (request, h) => {
          const { page } = readPage(request)
          const all = await service.list(actorOf(request))
          const { offset, limit } = sliceOf(page)
          return jsonResponse(h, pageJson(JSON.stringify(all.slice(offset, offset + limit)), all.length, page))
        },
    },
    {
      ...common,
      method: 'POST',
      path: webhooks,
      operationId: 'createWebhooks',
      summary: 'Subscribe a receiver, or several, to changes',
      description: 'Each message is sent at least once, until the receiver answers 2xx. Without `secret` one is made.',
      requestBody: body(jsonContent(inputs)),
      answers: { 201: responses.success('What was made, with the secrets', jsonContent(made)) },
      handler:
        ({ webhooks: service }) =>
        async (request, h) => {
          const { created, isList } = await service.create(actorOf(request), request.payload)
          if (isList) return h.response({ data: created, total: created.length }).code(201)
          const [data] = created
          return h.response({ data }).code(201).location(`${webhooks}/${data?.id}`)
        },
    },
    {
      ...ofOne,
      method: 'GET',
      path: `${webhooks}/{id}`,
      operationId: 'readWebhook',
      summary: 'Read a webhook',
      description: 'Without its secret, which only its creation and rotation return.',
      answers: { 200: data('The webhook', 'webhook') },
      handler:
        ({ webhooks: service }) =>
        async (request) => ({ data: await service.get(actorOf(request), idOf(request)) }),
    },
    {
      ...ofOne,
      method: 'PUT',
      path: `${webhooks}/{id}`,
      operationId: 'updateWebhook',
      summary: 'Change a webhook, disable or enable it',
      description: 'What is left out stays as it is. A webhook of the settings can only be disabled and enabled.',
      requestBody: body(jsonContent(ref('webhookChange'))),
      answers: { 200: data('The webhook as it is now', 'webhook') },
      handler:
        ({ webhooks: service }) =>
        async (request) => ({ data: await service.update(actorOf(request), idOf(request), request.payload) }),
    },
    {
      ...ofOne,
      method: 'DELETE',
      path: `${webhooks}/{id}`,
      operationId: 'deleteWebhook',
      summary: 'Remove a webhook with its deliveries',
      description: 'Pending deliveries are not made. A webhook of the settings is removed there.',
      answers: { 200: responses.success('What was removed', jsonContent(object({ message: TEXT, data: ref('webhook') }))) },
      handler:
        ({ webhooks: service }) =>
        async (request) => ({
          message: 'Webhook deleted successfully',
          data: await service.remove(actorOf(request), idOf(request)),
        }),
    },
    {
      ...ofOne,
      method: 'POST',
      path: `${webhooks}/{id}/rotate`,
      operationId: 'rotateWebhook',
      summary: 'Give a webhook another secret; the old one signs for a day more',
      description: 'Without `secret` one is made. A secret of the settings is changed there.',
      requestBody: { required: false, content: jsonContent(strictObject({ secret: SECRET }, [])) },
      answers: { 200: data('The webhook with its new secret', 'webhookWithSecret') },
      handler:
        ({ webhooks: service }) =>
        async (request) => ({ data: await service.rotate(actorOf(request), idOf(request), request.payload) }),
    },
    {
      ...ofOne,
      method: 'POST',
      path: `${webhooks}/{id}/test`,
      operationId: 'testWebhook',
      summary: 'Send an event that tells of no record, once',
      description: 'Waits for the answer of the receiver and returns it.',
      answers: { 200: data('What came of it', 'webhookDelivery') },
      handler:
        ({ webhooks: service }) =>
        async (request) => ({ data: await service.test(actorOf(request), idOf(request)) }),
    },
    {
      ...ofOne,
      method: 'GET',
      path: `${webhooks}/{id}/deliveries`,
      operationId: 'listDeliveriesOfWebhook',
      summary: 'List deliveries of a webhook',
      description: LOG,
      parameters: [ID, ...PAGE, ON_STATUS],
      answers: { 200: page('webhookDelivery') },
      handler: deliveries(idOf),
    },
    {
      ...common,
      method: 'GET',
      path: `${webhooks}/deliveries`,
      operationId: 'listDeliveries',
      summary: 'List deliveries of all webhooks',
      description: LOG,
      parameters: [...PAGE, ON_STATUS],
      answers: { 200: page('webhookDelivery') },
      handler: deliveries(() => undefined),
    },
    {
      ...ofOne,
      method: 'POST',
      path: `${webhooks}/deliveries/{id}/redeliver`,
      operationId: 'redeliver',
      summary: 'Deliver once more, under the same id',
      description: 'Also where the receiver has answered 2xx before. The webhook must be active.',
      answers: { 202: data('The delivery, pending', 'webhookDelivery') },
      failures: ['notFound', 'conflict'],
      handler:
        ({ webhooks: service }) =>
        async (request, h) =>
          h.response({ data: await service.redeliver(actorOf(request), idOf(request)) }).code(202),
    },
  ]
}

const deliveries =
  (id: (request: Request) => number | undefined) =>
  ({ webhooks: service }: App): Lifecycle.Method =>
  async (request, h) => {
    const { page, status } = readPage(request)
    const { data, total } = await service.deliveries(actorOf(request), id(request), page, status)
    return jsonResponse(h, pageJson(JSON.stringify(data), total, page))
  }

const idOf = (request: Request): number => readRecordId(String(request.params.id))

/** @throws {AppError} INVALID_REQUEST */
function readPage(request: Request): { page: PageRequest; status: string | undefined } {
  const parameters = parametersOf(request)
  const page = {
    page: parameters.integer('page', { absent: 1, min: 1 }),
    pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_RECORDS }),
  }
  const status = parameters.one('status')
  if (status !== undefined && !STATUSES.includes(status)) {
    parameters.fault('status', `'status' must be one of: ${STATUSES.join(', ')}, not '${status}'`)
  }
  parameters.throwIfFaulty()
  return { page, status }
}
