import { useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { DateCell } from '../../cells/date-cell.tsx'
import { useLocale } from '../../cells/use-locale.ts'
import { type Delivery, type DeliveryAttempt, refreshWebhooks, type Webhook } from '../../data/webhooks.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Dialog } from '../../parts/popups/dialog.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { useAction } from '../use-action.ts'
import { CodeBlock } from './code-block.tsx'
import { DeliveryState } from './webhook-state.tsx'

interface DeliveryDialogProps {
  readonly webhook: Webhook
  readonly delivery: Delivery
  readonly onClose: () => void
}

/** A delivery: what was sent, each attempt, and what the receiver answered. */
export function DeliveryDialog({ webhook, delivery, onClose }: DeliveryDialogProps) {
  const text = useText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const isTest = delivery.event === 'test'
  const replay = () =>
    run(async (client) => {
      await client.request(`/webhooks/deliveries/${delivery.id}/redeliver`, { method: 'POST' })
      toasts.done(text.webhooks.isReplayed)
      await refreshWebhooks(queries)
    })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      shape="wide"
      title={`${delivery.event} ${delivery.model} ${delivery.record_id ?? ''}`}
      description={<DeliveryState status={delivery.status} />}
      actions={
        <>
          <Button onClick={onClose}>{text.common.close}</Button>
          {!isTest && (
            <Button
              icon={<RotateCcw size={14} aria-hidden />}
              isBusy={isBusy}
              disabled={!webhook.active || delivery.status === 'pending'}
              onClick={() => void replay()}
            >
              {text.webhooks.replay}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {error !== undefined && <Failure error={error} />}
        {!webhook.active && !isTest && <Notice kind="info">{text.webhooks.replayInactive}</Notice>}
        <section className="stack-tight">
          <h3>{text.webhooks.request}</h3>
          <p className="mono wrap">POST {webhook.url}</p>
          <p className="mono wrap">webhook-id: {delivery.message_id}</p>
          <CodeBlock label={text.webhooks.request}>{requestBody(delivery)}</CodeBlock>
        </section>
        <section className="stack-tight">
          <h3>{text.webhooks.attempts}</h3>
          <Attempts attempts={delivery.attempts} />
          {delivery.next_attempt_at !== null && (
            <p>
              {text.webhooks.nextAttempt} <DateCell type="datetime" value={delivery.next_attempt_at} />
            </p>
          )}
        </section>
        <section className="stack-tight">
          <h3>{text.webhooks.answer}</h3>
          {delivery.response === null || delivery.response === '' ? (
            <p className="muted">{text.webhooks.noAnswer}</p>
          ) : (
            <CodeBlock label={text.webhooks.answer}>{delivery.response}</CodeBlock>
          )}
        </section>
      </div>
    </Dialog>
  )
}

/** The body without its signature, indented to be read. */
const requestBody = ({ event, model, data, timestamp }: Delivery): string =>
  JSON.stringify({ event, model, data, timestamp }, null, 2)

function Attempts({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }) {
  const text = useText().webhooks
  const locale = useLocale()
  if (attempts.length === 0) return <p className="muted">{text.noAttempts}</p>
  return (
    <Table
      label={text.attempts}
      columns={[text.at, text.status, { label: text.duration, kind: 'number' }, text.error]}
      shape="dense"
    >
      {attempts.map(({ at, status, ms, error }) => (
        <tr key={at}>
          <td className="no-wrap">
            <DateCell type="datetime" value={at} />
          </td>
          <td>{status ?? '–'}</td>
          <td className="number">{ms.toLocaleString(locale)} ms</td>
          <td className="wrap">{error}</td>
        </tr>
      ))}
    </Table>
  )
}
