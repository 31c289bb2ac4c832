import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Send } from 'lucide-react'
import { useState } from 'react'
import type { Client } from '../../client/client.ts'
import { type Delivery, refreshWebhooks, type Webhook, type WebhookInput } from '../data/webhooks.ts'
import { Button } from '../parts/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { Confirm } from './confirm.tsx'
import { useAction } from './use-action.ts'
import { WebhookForm, webhookTitles } from './webhook-form.tsx'
import { SecretDialog } from './webhook-secret.tsx'

interface WebhookActionsProps {
  readonly webhook: Webhook
  /** Shows a delivery. */
  readonly onDelivery: (delivery: Delivery) => void
  readonly onFailure: (error: unknown) => void
}

/** What can be done with a webhook. */
export function WebhookActions({ webhook, onDelivery, onFailure }: WebhookActionsProps) {
  const { common } = useText()
  const text = useLaterText().webhooks
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run, clear } = useAction(webhookTitles(text))
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | 'test'>()
  const [secret, setSecret] = useState<string>()
  const path = `/webhooks/${webhook.id}`

  const show = (dialog: typeof open) => {
    clear()
    setOpen(dialog)
  }
  /** Runs a call, closes the dialog, and says what was done. */
  const act = (message: string | undefined, work: (client: Client) => Promise<unknown>) =>
    run(async (client) => {
      await work(client)
      setOpen(undefined)
      if (message !== undefined) toasts.done(message)
      await refreshWebhooks(queries)
    })

  const change = (body: Partial<WebhookInput> & { readonly active?: boolean }, message: string) =>
    act(message, (client) => client.request(path, { method: 'PUT', body }))
  const toggle = async () => {
    const isDone = await act(webhook.active ? text.isDisabled : text.isEnabled, (client) =>
      client.request(path, { method: 'PUT', body: { active: !webhook.active } }).catch((failure: unknown) => {
        onFailure(failure)
        throw failure
      }),
    )
    if (isDone) onFailure(undefined)
  }
  const test = () => {
    setOpen('test')
    void act(undefined, async (client) => {
      const { data } = (await client.request(`${path}/test`, { method: 'POST' }).catch((failure: unknown) => {
        onFailure(failure)
        throw failure
      })) as { data: Delivery }
      onDelivery(data)
    })
  }
  const rotate = () =>
    act(undefined, async (client) => {
      const { data } = (await client.request(`${path}/rotate`, { method: 'POST', body: {} })) as { data: { secret: string } }
      setSecret(data.secret)
    })
  const remove = () =>
    run(async (client) => {
      await client.request(path, { method: 'DELETE' })
      toasts.done(text.isDeleted)
      await navigate({ to: '/webhooks' })
      await refreshWebhooks(queries)
    })

  return (
    <>
      <Button icon={<Send size={14} aria-hidden />} isBusy={isBusy && open === 'test'} onClick={test}>
        {text.test}
      </Button>
      <Button isBusy={isBusy && open === undefined} onClick={() => void toggle()}>
        {webhook.active ? text.disable : text.enable}
      </Button>
      {!webhook.from_settings && (
        <Menu
          trigger={
            <button type="button" className="icon-button" aria-label={common.more}>
              <Ellipsis size={16} aria-hidden />
            </button>
          }
        >
          <MenuItem onClick={() => show('edit')}>{text.edit}</MenuItem>
          <MenuItem onClick={() => show('rotate')}>{text.rotate}</MenuItem>
          <MenuSeparator />
          <MenuItem isDanger onClick={() => show('delete')}>
            {text.delete}
          </MenuItem>
        </Menu>
      )}
      {open === 'edit' && (
        <WebhookForm
          {...{ webhook, isBusy, error, fieldErrors }}
          onSubmit={(input) => void change(input, text.isSaved)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'rotate' && (
        <Confirm
          {...{ isBusy, error }}
          title={text.rotate}
          action={text.rotate}
          onConfirm={() => void rotate()}
          onClose={() => setOpen(undefined)}
        >
          {text.rotateText}
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          {...{ isBusy, error }}
          title={text.delete}
          action={common.delete}
          onConfirm={() => void remove()}
          onClose={() => setOpen(undefined)}
        >
          {text.deleteText(webhook.url)}
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretDialog secret={secret} description={text.secretRotated} onClose={() => setSecret(undefined)} />
      )}
    </>
  )
}
