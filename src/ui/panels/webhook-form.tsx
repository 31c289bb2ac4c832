import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import type { FieldErrors } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import { refreshWebhooks, WEBHOOK_EVENTS, type Webhook, type WebhookInput } from '../data/webhooks.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import type { LaterText } from '../text/en-later.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { Checks } from './checks.tsx'
import { useAction, useFaultFocus } from './use-action.ts'
import { SecretDialog } from './webhook-secret.tsx'

interface WebhookFormProps {
  /** The webhook to change; undefined for a new one. */
  readonly webhook?: Webhook
  readonly isBusy: boolean
  readonly error: unknown
  readonly fieldErrors: FieldErrors
  readonly onSubmit: (input: WebhookInput) => void
  readonly onClose: () => void
}

const FIELDS: readonly string[] = ['url', 'events', 'models', 'secret']

/** The labels of the form's inputs, by the members of a subscription. */
export const webhookTitles = ({
  url,
  eventsLabel,
  modelsLabel,
  secret,
}: LaterText['webhooks']): Readonly<Record<string, string>> => ({
  ...{ url, secret },
  events: eventsLabel,
  models: modelsLabel,
})

/** Asks for the address of a receiver, and for the changes that it is told of. */
export function WebhookForm({ webhook, isBusy, error, fieldErrors, onSubmit, onClose }: WebhookFormProps) {
  const text = useText()
  const later = useLaterText()
  const form = useId()
  const focused = useFaultFocus(error)
  const { models } = useSite()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [secret, setSecret] = useState('')
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? WEBHOOK_EVENTS)
  const [chosen, setChosen] = useState<readonly string[]>(webhook?.models ?? [])
  const isShownAtFields = Object.keys(fieldErrors).some((name) => FIELDS.includes(name))

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const named = WEBHOOK_EVENTS.filter((name) => events.includes(name))
    onSubmit({ url: url.trim(), events: named, models: chosen, ...(secret === '' ? {} : { secret }) })
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={webhook === undefined ? later.webhooks.add : later.webhooks.edit}
      actions={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {webhook === undefined ? text.common.add : text.common.save}
          </Button>
        </>
      }
    >
      <form ref={focused} id={form} className="stack" noValidate onSubmit={submit}>
        {error !== undefined && !isShownAtFields && <Failure error={error} />}
        <LabelledField label={later.webhooks.url} help={later.webhooks.urlHelp} errors={fieldErrors.url} isRequired>
          {(links) => (
            <input {...links} className="input" type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
          )}
        </LabelledField>
        <Checks
          label={later.webhooks.eventsLabel}
          errors={fieldErrors.events}
          options={WEBHOOK_EVENTS.map((value) => ({ value, label: later.webhooks.events[value] }))}
          chosen={events}
          onChange={setEvents}
        />
        <Checks
          label={later.webhooks.modelsLabel}
          help={later.webhooks.modelsHelp}
          errors={fieldErrors.models}
          options={models.map(({ key, label }) => ({ value: key, label }))}
          chosen={chosen}
          onChange={setChosen}
        />
        {webhook === undefined && (
          <LabelledField label={later.webhooks.secret} help={later.webhooks.secretHelp} errors={fieldErrors.secret}>
            {(links) => (
              <input
                {...links}
                className="input mono"
                autoComplete="off"
                value={secret}
                onChange={(event) => setSecret(event.target.value)}
              />
            )}
          </LabelledField>
        )}
      </form>
    </Dialog>
  )
}

/** A button that adds a webhook and shows its secret. */
export function AddWebhook() {
  const text = useLaterText().webhooks
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
