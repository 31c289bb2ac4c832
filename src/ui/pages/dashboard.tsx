import { useRecentNames } from '../data/recents.ts'
import { useSite } from '../data/site.ts'
import { FailingWebhooks, FirstSteps, LatestChanges, RecentRecords, SavedLists } from '../panels/dashboard.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { EmptyState } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'

/** The first page: what the user works with, what has changed, what fails. Only of what the user may see. */
export function Dashboard() {
  const text = useText().dashboard
  const { models, user, capabilities, saved_views } = useSite()
  const isNew = useRecentNames().recents.length === 0 && saved_views.every(({ user_id }) => user_id !== user.id)
  return (
    <>
      <PageHeader title={text.title} />
      {models.length === 0 && <EmptyState title={text.nothingTitle}>{text.nothingText}</EmptyState>}
      {user.is_superuser && capabilities.webhooks && <FailingWebhooks />}
      <div className="dashboard">
        {isNew && models.length > 0 && <FirstSteps />}
        <RecentRecords />
        <SavedLists />
      </div>
      {user.is_superuser && capabilities.history && <LatestChanges />}
    </>
  )
}
