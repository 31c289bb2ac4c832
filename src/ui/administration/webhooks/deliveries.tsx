import { useQuery } from '@tanstack/react-query'
import { DELIVERY_STATUSES, type Delivery, deliveriesQuery, type Webhook } from '../../data/webhooks.ts'
import { Failure } from '../../parts/failure.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { PageButtons } from '../page-buttons.tsx'
import { useAddress } from '../use-address.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryTable } from './delivery-table.tsx'

interface DeliveriesProps {
  readonly webhook: Webhook
  /** The delivery that is shown although the page of the log may not contain it, such as a test just made. */
  readonly latest: Delivery | undefined
}

/** The delivery log of a webhook. */
export function Deliveries({ webhook, latest }: DeliveriesProps) {
  const text = useText().webhooks
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
