import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { refreshWebhooks, type WebhookInput } from '../../data/webhooks.ts'
import { Button } from '../../parts/button.tsx'
import { useText } from '../../text/text.tsx'
import { useAction } from '../use-action.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { WebhookForm, webhookTitles } from './webhook-form.tsx'

/** A button that adds a webhook and shows its secret. */
export function AddWebhook() {
  const text = useText().webhooks
  const queries = useQueryClient()
  const { isBusy, error, fieldErrors, run, clear } = useAction(webhookTitles(text))
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const add = (input: WebhookInput) =>
    run(async (client) => {
      const { data } = (await client.request('/webhooks', { method: 'POST', body: input })) as { data: { secret: string } }
      setOpen(false)
      setSecret(data.secret)
      void refreshWebhooks(queries)
    })
  return (
    <>
      <Button
        kind="primary"
        icon={<Plus size={16} aria-hidden />}
        onClick={() => {
          clear()
          setOpen(true)
        }}
      >
        {text.add}
      </Button>
      {isOpen && (
        <WebhookForm {...{ isBusy, error, fieldErrors }} onSubmit={(input) => void add(input)} onClose={() => setOpen(false)} />
      )}
      {secret !== undefined && (
        <SecretDialog secret={secret} description={text.secretOnce} onClose={() => setSecret(undefined)} />
      )}
    </>
  )
}
