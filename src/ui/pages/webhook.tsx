import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { DateCell } from '../cells/cell.tsx'
import { useSession } from '../data/page-session.ts'
import { useAddress } from '../data/use-address.ts'
import { type Delivery, type Webhook, webhooksQuery } from '../data/webhooks.ts'
import { WebhookActions } from '../panels/webhook-actions.tsx'
import { DeliveryList } from '../panels/webhook-deliveries.tsx'
import { WebhookActivity, WebhookEvents, WebhookHealth, WebhookModels } from '../panels/webhook-table.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { NotFound, SuperusersOnly } from './not-found.tsx'

/** A webhook and its deliveries. */
export function WebhookPage() {
  const { id } = useParams({ strict: false })
  return (
    <SuperusersOnly>
      <WebhookOf key={id} id={Number(id)} />
    </SuperusersOnly>
  )
}

/** The list of all webhooks has everything, and an unknown id is no failed request. */
function WebhookOf({ id }: { readonly id: number }) {
  const { data, error, refetch } = useQuery(webhooksQuery(useSession()))
  if (data === undefined) return error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />
  const webhook = data.find((each) => each.id === id)
  return webhook === undefined ? <NotFound /> : <WebhookDetails webhook={webhook} />
}

function WebhookDetails({ webhook }: { readonly webhook: Webhook }) {
  const text = useLaterText().webhooks
  const [latest, setLatest] = useState<Delivery>()
  const [failure, setFailure] = useState<unknown>()
  const { change } = useAddress()
  return (
    <>
      <PageHeader
        title={webhook.url}
        above={<Link to="/webhooks">{text.title}</Link>}
        facts={<WebhookActivity webhook={webhook} />}
        actions={
          <WebhookActions
            webhook={webhook}
            onDelivery={(delivery) => {
              setLatest(delivery)
              setFailure(undefined)
              change({ delivery: String(delivery.id) })
            }}
            onFailure={setFailure}
          />
        }
      />
      {failure !== undefined && <Failure error={failure} />}
      {webhook.from_settings && <Notice kind="info">{text.fromSettings}</Notice>}
      <dl className="facts">
        <dt>{text.eventsLabel}</dt>
        <dd>
          <WebhookEvents webhook={webhook} />
        </dd>
        <dt>{text.modelsLabel}</dt>
        <dd>
          <WebhookModels webhook={webhook} />
        </dd>
        <dt>{text.health}</dt>
        <dd>
          <WebhookHealth webhook={webhook} />
        </dd>
        <dt>{text.lastFailure}</dt>
        <dd>{webhook.last_failure_at === null ? '–' : <DateCell type="datetime" value={webhook.last_failure_at} />}</dd>
        <dt>{text.pending}</dt>
        <dd>{webhook.pending}</dd>
      </dl>
      <DeliveryList webhook={webhook} latest={latest} />
    </>
  )
}
