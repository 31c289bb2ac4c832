import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'
import type { ModelDefinition } from '../model/definition.ts'

/** Who is told of what. */
const WebhookSubscription = defineModel({
  name: 'WebhookSubscription',
  timestamps: true,
  fields: [
    { name: 'url', type: 'string', required: true },
    { name: 'events', type: 'multichoice', choices: ['create', 'update', 'delete'], required: true },
    // Keys of models, not ids of records; a model may be gone by the next start.
    { name: 'models', type: 'json' },
    // Kept as it is: what is signed with it could not be signed with its hash.
    { name: 'secret', type: 'string', required: true },
    { name: 'old_secret', type: 'string' },
    { name: 'old_secret_until', type: 'datetime' },
    { name: 'active', type: 'boolean', required: true },
    // Why it is not active: somebody said so, the settings do, the receiver is gone (410), or it failed for days.
    { name: 'disabled_by', type: 'choice', choices: ['hand', 'settings', 'gone', 'failing'] },
    { name: 'failing_since', type: 'datetime' },
    { name: 'last_failure_at', type: 'datetime' },
    // True for those that stand in the settings and go when they no longer do.
    { name: 'from_settings', type: 'boolean', required: true },
  ],
})

/** The outbox: an event that was committed with its record, and who has yet to be told. Its fields are those of `EventOrder`. */
const WebhookEvent = defineModel({
  name: 'WebhookEvent',
  fields: [
    { name: 'message_id', type: 'string', required: true },
    { name: 'event', type: 'string', required: true },
    { name: 'model', type: 'string', required: true },
    { name: 'record_id', type: 'integer' },
    // JSON as text, so that every attempt sends the same.
    { name: 'data', type: 'text', required: true },
    { name: 'timestamp', type: 'datetime', required: true },
    { name: 'pending', type: 'many_to_many', model: 'webhooksubscription' },
  ],
})

/** The log: what came of telling one event to one subscription. Made with the first attempt. */
const WebhookDelivery = defineModel({
  name: 'WebhookDelivery',
  fields: [
    { name: 'event_id', type: 'foreignkey', model: 'webhookevent', required: true, on_delete: 'cascade' },
    { name: 'subscription_id', type: 'foreignkey', model: 'webhooksubscription', required: true, on_delete: 'cascade' },
    { name: 'status', type: 'choice', choices: ['pending', 'delivered', 'failed'], required: true },
    // How many attempts there were since it was sent, or sent again.
    { name: 'tries', type: 'integer', required: true },
    { name: 'attempts', type: 'json', required: true },
    { name: 'response', type: 'text' },
    { name: 'next_attempt_at', type: 'datetime' },
  ],
})

/** Where subscriptions, events and deliveries are kept. */
export const SUBSCRIPTIONS = 'webhooksubscription'
export const EVENTS = 'webhookevent'
export const DELIVERIES = 'webhookdelivery'

const builtIn = (model: ModelDefinition): Definition => ({ value: model, source: flatSource(`built-in model ${model.name}`) })

/** The models behind webhooks; all of them the server's own. */
export const WEBHOOK_MODELS: readonly Definition[] = [WebhookSubscription, WebhookEvent, WebhookDelivery].map(builtIn)
