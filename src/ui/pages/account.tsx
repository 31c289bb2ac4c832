import { AccountLogSection } from '../accounts/account-log.tsx'
import { OwnIdentities } from '../accounts/identities.tsx'
import { OwnKeys } from '../accounts/keys.tsx'
import { OwnPassword, OwnSessions } from '../accounts/own-account.tsx'
import { OwnEmail } from '../accounts/own-email.tsx'
import { SecondFactor } from '../accounts/second-factor.tsx'
import { useSite } from '../data/site.ts'
import { useFragment } from '../data/use-fragment.ts'
import { PageHeader } from '../parts/page-header.tsx'
import { useLaterText } from '../text/later.ts'

/** The account of the user who is logged in: what it logs in with, what it gives to programs, and what has happened to it. */
export function AccountPage() {
  const later = useLaterText()
  const { user } = useSite()
  const result = useFragment()
  return (
    <>
      <PageHeader title={later.account.title} facts={user.username} />
      {user.id !== null && (
        <>
          <OwnPassword />
          <OwnEmail />
          <SecondFactor />
          <OwnIdentities result={result} />
          <OwnKeys />
          <OwnSessions />
          <AccountLogSection />
        </>
      )}
    </>
  )
}
