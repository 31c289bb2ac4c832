import { OwnPassword } from '../administration/accounts/own-password.tsx'
import { OwnSessions } from '../administration/accounts/own-sessions.tsx'
import { useSite } from '../data/site.ts'
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
