import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'
import type { ModelDefinition } from '../model/definition.ts'

/** Webhook subscriptions. */
const WebhookSubscription = defineModel({
  name: 'WebhookSubscription',
  timestamps: true,
  fields: [
    { name: 'url', type: 'string', required: true },
    { name: 'events', type: 'multichoice', choices: ['create', 'update', 'delete'], required: true },
    // Keys of models rather than ids, since a model may be removed from the project.
    { name: 'models', type: 'json' },
    // In plain text, since it is needed for signing.
    { name: 'secret', type: 'string', required: true },
    { name: 'old_secret', type: 'string' },
    { name: 'old_secret_until', type: 'datetime' },
    { name: 'active', type: 'boolean', required: true },
    // Cause of inactivity: an administrator, the settings, 410 Gone, or five days of failures.
    { name: 'disabled_by', type: 'choice', choices: ['hand', 'settings', 'gone', 'failing'] },
    { name: 'failing_since', type: 'datetime', index: false },
    { name: 'last_failure_at', type: 'datetime', index: false },
    // True for subscriptions from the settings, which are deleted when they are removed there.
    { name: 'from_settings', type: 'boolean', required: true },
  ],
})

/**
 * An event committed with its record. `pending` are the subscriptions to which its first attempt is still to be made. The fields are those of
 * `EventRequest`.
 */
const WebhookEvent = defineModel({
  name: 'WebhookEvent',
  fields: [
    { name: 'message_id', type: 'string', required: true },
    { name: 'event', type: 'string', required: true },
    { name: 'model', type: 'string', required: true },
    { name: 'record_id', type: 'integer' },
    // JSON as text, so that every attempt sends the same bytes.
    { name: 'data', type: 'text', required: true },
    { name: 'timestamp', type: 'datetime', required: true },
    { name: 'pending', type: 'many_to_many', model: 'webhooksubscription' },
  ],
})

/** The attempts of one event to one subscription. Created with the result of the first attempt. */
const WebhookDelivery = defineModel({
  name: 'WebhookDelivery',
  fields: [
    { name: 'event_id', type: 'foreignkey', model: 'webhookevent', required: true, on_delete: 'cascade' },
    { name: 'subscription_id', type: 'foreignkey', model: 'webhooksubscription', required: true, on_delete: 'cascade' },
    // The record of the event. Its events are delivered in their order. Null in settled deliveries of earlier versions.
    { name: 'model', type: 'string' },
    { name: 'record_id', type: 'integer' },
    { name: 'status', type: 'choice', choices: ['pending', 'delivered', 'failed'], required: true },
    // Number of failed attempts since the message was sent, or redelivered.
    { name: 'tries', type: 'integer', required: true, index: false },
    { name: 'attempts', type: 'json', required: true },
    { name: 'response', type: 'text' },
    // Null in a settled delivery.
    { name: 'next_attempt_at', type: 'datetime' },
  ],
})

/** Keys of the tables of subscriptions, events and deliveries. */
export const SUBSCRIPTIONS = 'webhooksubscription'
export const EVENTS = 'webhookevent'
export const DELIVERIES = 'webhookdelivery'

const builtIn = (model: ModelDefinition): Definition => ({ value: model, source: flatSource(`built-in model ${model.name}`) })

/** The internal models of webhooks. */
export const WEBHOOK_MODELS: readonly Definition[] = [WebhookSubscription, WebhookEvent, WebhookDelivery].map(builtIn)
