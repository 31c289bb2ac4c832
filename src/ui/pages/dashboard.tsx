import { useRecentNames } from '../data/recents.ts'
import { isAdministered, may, useSite } from '../data/site.ts'
import { FailingWebhooks, FirstSteps, LatestChanges, RecentRecords, SavedLists } from '../panels/dashboard.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { EmptyState, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'

const ProjectPanels = partOnUse(() => import('../dashboard/project-panels.tsx').then((module) => module.ProjectPanels))

/** The first page: what fails, then the panels of the project, or without them what the user works with. */
export function Dashboard() {
  const text = useText().dashboard
  const { models, user, capabilities, dashboard: panels = [] } = useSite()
  // The panels of a new project would be empty.
  const own = models.filter((model) => !isAdministered(model) && model.key !== 'user' && may(model, 'view'))
  const hasRecords = own.some(({ count = 0 }) => count > 0)
  return (
    <>
      <PageHeader title={text.title} />
      {models.length === 0 && <EmptyState title={text.nothingTitle}>{text.nothingText}</EmptyState>}
      {user.is_superuser && capabilities.webhooks && <FailingWebhooks />}
      {panels.length > 0 && hasRecords ? (
        <Loaded fallback={<Skeleton />}>
          <ProjectPanels panels={panels} />
        </Loaded>
      ) : (
        <UserPanels hasRecords={hasRecords} />
      )}
    </>
  )
}

/** What the user works with, and what has changed. Only of what the user may see. */
function UserPanels({ hasRecords }: { readonly hasRecords: boolean }) {
  const { models, user, capabilities, saved_views: saved } = useSite()
  const isNew = useRecentNames().recents.length === 0 && saved.every(({ user_id: owner }) => owner !== user.id)
  return (
    <>
      <div className="dashboard">
        {(isNew || !hasRecords) && models.length > 0 && <FirstSteps />}
        <RecentRecords />
        <SavedLists />
      </div>
      {user.is_superuser && capabilities.history && <LatestChanges />}
    </>
  )
}
