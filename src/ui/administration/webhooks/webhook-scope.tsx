import type { Webhook } from '../../data/webhooks.ts'
import { Chip } from '../../parts/chip.tsx'
import { useText } from '../../text/text.tsx'

const SHOWN = 3

/** The events that a webhook is told of. */
export const WebhookEvents = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText().webhooks
  return (
    <span className="chips">
      {webhook.events.map((event) => (
        <Chip key={event}>{text.events[event]}</Chip>
      ))}
    </span>
  )
}

/** The models that a webhook is told of. */
export const WebhookModels = ({ webhook: { models } }: { readonly webhook: Webhook }) => {
  const text = useText().webhooks
  if (models.length === 0) return <span>{text.allModels}</span>
  return (
    <span className="chips" title={models.join(', ')}>
      {models.slice(0, SHOWN).map((model) => (
        <Chip key={model}>{model}</Chip>
      ))}
      {models.length > SHOWN && <span>+{models.length - SHOWN}</span>}
    </span>
  )
}
