import { useSite } from '../data/site.ts'
import { OwnPassword, OwnSessions } from '../panels/account.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { useText } from '../text/text.tsx'

/** The account of the user who is logged in: password and sessions. */
export function AccountPage() {
  const text = useText()
  const { user } = useSite()
  return (
    <>
      <PageHeader title={text.account.title} facts={user.username} />
      {user.id !== null && (
        <>
          <OwnPassword />
          <OwnSessions />
        </>
      )}
    </>
  )
}
