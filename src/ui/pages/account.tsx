import { useSite } from '../data/site.ts'
import { OwnPassword, OwnSessions } from '../panels/account.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { useLaterText } from '../text/later.ts'

/** The account of the user who is logged in: password and sessions. */
export function AccountPage() {
  const later = useLaterText()
  const { user } = useSite()
  return (
    <>
      <PageHeader title={later.account.title} facts={user.username} />
      {user.id !== null && (
        <>
          <OwnPassword />
          <OwnSessions />
        </>
      )}
    </>
  )
}
