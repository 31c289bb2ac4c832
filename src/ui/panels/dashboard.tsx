import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { historyQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { groupsOf } from '../data/site.ts'
import { useChanges } from '../data/use-live.ts'
import { isFailing, webhooksQuery } from '../data/webhooks.ts'
import { ModelIcon } from '../parts/model-icon.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { HistoryTable } from './history.tsx'
import { WebhookHealth } from './webhook-table.tsx'

/** The models that the user may access, in the groups of the menu, with their numbers of records. */
export function ModelCards({ models }: { readonly models: readonly SiteModel[] }) {
  const { otherModels } = useText().shell
  const groups = groupsOf(models, otherModels)
  return (
    <div className="card-groups">
      {groups.map(([title, members]) => (
        <section key={title} aria-label={title}>
          {groups.length > 1 && <h2 className="card-group-title">{title}</h2>}
          <ul className="cards">
            {members.map((model) => (
              <ModelCard key={model.key} model={model} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function ModelCard({ model: { key, icon, label, count } }: { readonly model: SiteModel }) {
  const text = useText().dashboard
  const locale = useLocale()
  return (
    <li>
      <Link to="/models/$model" params={{ model: key }} className="card">
        <span className="card-title">
          <ModelIcon name={icon} />
          <span>{label}</span>
        </span>
        <span className={count === undefined ? 'muted' : 'card-number'}>
          {count === undefined ? text.addOnly : count.toLocaleString(locale)}
        </span>
      </Link>
    </li>
  )
}

/** The latest changes of all records, kept up to date. */
export function LatestChanges() {
  const text = useText().dashboard
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    ...historyQuery(useSession(), { page: 1, page_size: 10 }),
    refetchOnMount: 'always',
  })
  useChanges(useCallback(() => void queries.invalidateQueries({ queryKey: ['history'] }), [queries]))
  return (
    <section className="stack" aria-labelledby="latest-changes">
      <header className="section-header">
        <h2 id="latest-changes">{text.changes}</h2>
        <Link to="/history">{text.allChanges}</Link>
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={5} />}
      {data?.total === 0 && <p className="muted">{text.noChanges}</p>}
      {data !== undefined && data.total > 0 && <HistoryTable entries={data.data} showsChanges={false} />}
    </section>
  )
}

/** The webhooks whose receivers fail; nothing in a project without webhooks. */
export function FailingWebhooks() {
  const text = useText().dashboard
  const { data, error, refetch } = useQuery(webhooksQuery(useSession()))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined || data.length === 0) return null
  const failing = data.filter(isFailing)
  return (
    <section className="stack" aria-labelledby="failing-webhooks">
      <header className="section-header">
        <h2 id="failing-webhooks">{text.webhooks}</h2>
        <Link to="/webhooks">{text.allWebhooks}</Link>
      </header>
      {failing.length === 0 && <p className="muted">{text.noFailing(data.length)}</p>}
      {failing.map((webhook) => (
        <Notice key={webhook.id} kind="warning">
          <Link to="/webhooks/$id" params={{ id: String(webhook.id) }} className="notice-link">
            {webhook.url}
          </Link>{' '}
          <WebhookHealth webhook={webhook} />
        </Notice>
      ))}
    </section>
  )
}
