import '../styles/cards.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bookmark, FilePlus, List, UserPlus, Users, UsersRound } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import type { SavedView } from '../../client/client.ts'
import { AgeCell } from '../cells/cell.tsx'
import { historyQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { useNames, useRecentNames } from '../data/recents.ts'
import { viewSearch } from '../data/saved-views.ts'
import { isAdministered, may, modelOf, useSite } from '../data/site.ts'
import { useChanges } from '../data/use-live.ts'
import { useNoun } from '../data/use-views.ts'
import { isFailing, webhooksQuery } from '../data/webhooks.ts'
import { Button } from '../parts/button.tsx'
import { ModelIcon } from '../parts/model-icon.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import type { RecordReference } from '../preferences.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { WebhookHealth } from './webhook-table.tsx'

interface RecordEntryProps extends RecordReference {
  /** Name of the record; null for one that is gone, undefined while it is not known. */
  readonly name: string | null | undefined
  /** Shown at the end of the line. */
  readonly children?: ReactNode
}

/** A record in a list of the dashboard: its name, its model, and what is said of it. */
function RecordEntry({ model: key, id, name, children }: RecordEntryProps) {
  const model = modelOf(useSite(), key)
  return (
    <li className="entry">
      <ModelIcon name={model?.icon ?? null} />
      {name === null ? (
        <span className="entry-name muted">#{id}</span>
      ) : (
        <Link to="/models/$model/$id" params={{ model: key, id: String(id) }} className="entry-name">
          {name ?? `#${id}`}
        </Link>
      )}
      <span className="muted">{model?.label ?? key}</span>
      {children}
    </li>
  )
}

/** The records that the user has opened last; those that are gone are left out. */
export function RecentRecords() {
  const text = useText().dashboard
  const { recents, nameOf, isPending, error, retry } = useRecentNames()
  if (recents.length === 0) return null
  return (
    <section className="panel" aria-labelledby="recent-records">
      <h2 id="recent-records">{text.recent}</h2>
      {error !== null && <Failure error={error} onRetry={retry} />}
      {isPending ? (
        <Skeleton lines={recents.length} />
      ) : (
        <ul className="entries">
          {recents.map((each) => (
            <RecordEntry key={`${each.model}/${each.id}`} {...each} name={nameOf(each)} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Number of saved views that the dashboard shows at first. */
const SHOWN_VIEWS = 8

/** Leads to the lists that the user has saved, then to those that others share. */
export function SavedLists() {
  const { list } = useText()
  const { views: text } = useLaterText()
  const site = useSite()
  const [isWhole, setWhole] = useState(false)
  const isOwn = ({ user_id }: SavedView) => user_id === site.user.id
  const views = [...site.saved_views.filter(isOwn), ...site.saved_views.filter((view) => !isOwn(view))]
  if (views.length === 0) return null
  return (
    <section className="panel" aria-labelledby="saved-lists">
      <h2 id="saved-lists">{list.savedViews}</h2>
      <ul className="entries">
        {views.slice(0, isWhole ? undefined : SHOWN_VIEWS).map((view) => (
          <li key={view.id} className="entry">
            <Bookmark size={16} aria-hidden />
            <Link to="/models/$model" params={{ model: view.model }} search={viewSearch(view)} className="entry-name">
              {view.name}
            </Link>
            <span className="muted">{modelOf(site, view.model)?.label}</span>
            {!isOwn(view) && (
              <span className="entry-facts" title={text.shared}>
                <Users size={14} aria-label={text.shared} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {!isWhole && views.length > SHOWN_VIEWS && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          {text.showAll(views.length)}
        </Button>
      )}
    </section>
  )
}

/** What a user may begin with, who has opened no record yet. */
export function FirstSteps() {
  const { dashboard: text } = useText()
  const { models, user } = useSite()
  const noun = useNoun()
  const own = models.filter((model) => !isAdministered(model) && model.key !== 'user')
  const viewed = own.filter((model) => may(model, 'view')).slice(0, 3)
  const added = own.find((model) => may(model, 'add'))
  return (
    <section className="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">{text.start}</h2>
      {own.length === 0 && user.is_superuser && <p className="muted">{text.noModel}</p>}
      <ul className="entries">
        {viewed.map(({ key, label }) => (
          <Step key={key} icon={<List size={16} aria-hidden />} model={key}>
            {text.openList(label)}
          </Step>
        ))}
        {added !== undefined && (
          <Step icon={<FilePlus size={16} aria-hidden />} model={added.key} isNew>
            {text.addOne(noun(added), added.label)}
          </Step>
        )}
        {user.is_superuser && (
          <Step icon={<UsersRound size={16} aria-hidden />} model="group">
            {text.addGroup}
          </Step>
        )}
        {user.is_superuser && (
          <Step icon={<UserPlus size={16} aria-hidden />} model="user" isNew>
            {text.addUser}
          </Step>
        )}
      </ul>
    </section>
  )
}

interface StepProps {
  readonly icon: ReactNode
  readonly model: string
  /** Leads to a new record, not to the list. */
  readonly isNew?: boolean
  readonly children: ReactNode
}

function Step({ icon, model, isNew = false, children }: StepProps) {
  return (
    <li className="entry">
      {icon}
      <Link to={isNew ? '/models/$model/new' : '/models/$model'} params={{ model }} className="entry-name entry-step">
        {children}
      </Link>
    </li>
  )
}

/** The latest changes of all records, kept up to date. */
export function LatestChanges() {
  const { dashboard: text } = useText()
  const { history } = useLaterText()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    ...historyQuery(useSession(), { page: 1, page_size: 10 }),
    refetchOnMount: 'always',
  })
  const names = useNames((data?.data ?? []).map(({ model, record_id: id }) => ({ model, id })))
  useChanges(useCallback(() => void queries.invalidateQueries({ queryKey: ['history'] }), [queries]))
  if (data?.total === 0) return null
  return (
    <section className="panel" aria-labelledby="latest-changes">
      <header className="section-header">
        <h2 id="latest-changes">{text.changes}</h2>
        <Link to="/history">{text.allChanges}</Link>
      </header>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && names.error !== null && <Failure error={names.error} onRetry={names.retry} />}
      {data === undefined && error === null && <Skeleton lines={10} />}
      <ul className="entries">
        {data?.data.map(({ id, model, record_id: record, action, user, at }) => (
          <RecordEntry key={id} model={model} id={record} name={names.nameOf({ model, id: record })}>
            <span className="entry-facts">
              {history.actions[action]} · {user?.username ?? history.noUser} · <AgeCell value={at} />
            </span>
          </RecordEntry>
        ))}
      </ul>
    </section>
  )
}

/** The webhooks whose receivers fail; nothing while all answer. */
export function FailingWebhooks() {
  const text = useText().dashboard
  const { data, error, refetch } = useQuery(webhooksQuery(useSession()))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={0} />
  const failing = data.filter(isFailing)
  if (failing.length === 0) return null
  return (
    <section className="panel" aria-labelledby="failing-webhooks">
      <header className="section-header">
        <h2 id="failing-webhooks">{text.webhooks}</h2>
        <Link to="/webhooks">{text.allWebhooks}</Link>
      </header>
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
