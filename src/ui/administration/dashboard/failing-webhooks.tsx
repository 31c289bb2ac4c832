import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isFailing, webhooksQuery } from '../../data/webhooks.ts'
import { Failure } from '../../parts/failure.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { WebhookHealth } from '../webhooks/webhook-state.tsx'

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
