import { useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { DateCell } from '../cells/cell.tsx'
import { useSession } from '../data/page-session.ts'
import { useAddress } from '../data/use-address.ts'
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryAttempt,
  deliveriesQuery,
  refreshWebhooks,
  type Webhook,
} from '../data/webhooks.ts'
import { Button } from '../parts/button.tsx'
import { PageButtons } from '../parts/page-buttons.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { CodeBlock, DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { FilterSelect } from './checks.tsx'
import { useAction } from './use-action.ts'
import { DeliveryState } from './webhook-table.tsx'

interface DeliveriesProps {
  readonly webhook: Webhook
  /** The delivery that is shown although the page of the log may not contain it, such as a test just made. */
  readonly latest: Delivery | undefined
}

/** The delivery log of a webhook. */
export function DeliveryList({ webhook, latest }: DeliveriesProps) {
  const text = useLaterText().webhooks
  const { get, page, change } = useAddress()
  const status = DELIVERY_STATUSES.find((each) => each === get('status'))
  const { data, error, refetch } = useQuery({
    ...deliveriesQuery(useSession(), webhook.id, status, page),
    refetchOnMount: 'always',
  })
  const wanted = Number(get('delivery'))
  const open = data?.data.find(({ id }) => id === wanted) ?? (latest?.id === wanted ? latest : undefined)
  return (
    <section className="stack" aria-labelledby="deliveries">
      <header className="section-header">
        <h2 id="deliveries">{text.deliveries}</h2>
        <FilterSelect
          name="status"
          label={text.state}
          options={DELIVERY_STATUSES.map((value) => ({ value, label: text.statuses[value] }))}
        />
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data?.total === 0 && <p className="muted">{text.noDeliveries}</p>}
      {data !== undefined && data.total > 0 && (
        <>
          <DeliveryTable deliveries={data.data} onOpen={({ id }) => change({ delivery: String(id) })} />
          <PageButtons page={data} onChange={(next) => change({ page: next === 1 ? undefined : String(next) })} />
        </>
      )}
      {open !== undefined && (
        <DeliveryDialog webhook={webhook} delivery={open} onClose={() => change({ delivery: undefined }, true)} />
      )}
    </section>
  )
}

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[]
  readonly onOpen: (delivery: Delivery) => void
}

/** Deliveries of a webhook; each opens. */
function DeliveryTable({ deliveries, onOpen }: DeliveryTableProps) {
  const text = useLaterText().webhooks
  return (
    <DataTable
      label={text.deliveries}
      columns={[text.at, text.what, text.state, { label: text.attempts, kind: 'number' }, text.lastAnswer]}
      shape="stacks"
    >
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <td className="no-wrap">
            <button type="button" className="link-button" onClick={() => onOpen(delivery)}>
              <DateCell type="datetime" value={delivery.timestamp} />
            </button>
          </td>
          <td>
            {delivery.event} {delivery.model} {delivery.record_id}
          </td>
          <td>
            <DeliveryState status={delivery.status} />
          </td>
          <td className="number" data-label={text.attempts}>
            {delivery.attempts.length}
          </td>
          <td className="wrap" data-label={text.lastAnswer}>
            {lastAnswer(delivery)}
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

/** Status or error of the last attempt. */
function lastAnswer({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last?.error ?? (last?.status === null || last === undefined ? '' : String(last.status))
}

interface DeliveryDialogProps {
  readonly webhook: Webhook
  readonly delivery: Delivery
  readonly onClose: () => void
}

/** A delivery: what was sent, each attempt, and what the receiver answered. */
function DeliveryDialog({ webhook, delivery, onClose }: DeliveryDialogProps) {
  const text = useText()
  const later = useLaterText()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const isTest = delivery.event === 'test'
  const replay = () =>
    run(async (client) => {
      await client.request(`/webhooks/deliveries/${delivery.id}/redeliver`, { method: 'POST' })
      toasts.done(later.webhooks.isReplayed)
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
              {later.webhooks.replay}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {error !== undefined && <Failure error={error} />}
        {!webhook.active && !isTest && <Notice kind="info">{later.webhooks.replayInactive}</Notice>}
        <section className="stack-tight">
          <h3>{later.webhooks.request}</h3>
          <p className="mono wrap">POST {webhook.url}</p>
          <p className="mono wrap">webhook-id: {delivery.message_id}</p>
          <CodeBlock label={later.webhooks.request}>{requestBody(delivery)}</CodeBlock>
        </section>
        <section className="stack-tight">
          <h3>{later.webhooks.attempts}</h3>
          <Attempts attempts={delivery.attempts} />
          {delivery.next_attempt_at !== null && (
            <p>
              {later.webhooks.nextAttempt} <DateCell type="datetime" value={delivery.next_attempt_at} />
            </p>
          )}
        </section>
        <section className="stack-tight">
          <h3>{later.webhooks.answer}</h3>
          {delivery.response === null || delivery.response === '' ? (
            <p className="muted">{later.webhooks.noAnswer}</p>
          ) : (
            <CodeBlock label={later.webhooks.answer}>{delivery.response}</CodeBlock>
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
  const text = useLaterText().webhooks
  const locale = useLocale()
  if (attempts.length === 0) return <p className="muted">{text.noAttempts}</p>
  return (
    <DataTable
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
    </DataTable>
  )
}
