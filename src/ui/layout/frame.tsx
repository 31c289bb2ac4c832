import { Outlet } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { Failure } from '../parts/failure.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useSession, useSessionState } from '../session/use-session.ts'
import { ExpiredSession } from './expired-session.tsx'
import { LoginPage } from './login-page.tsx'
import { Shell } from './shell.tsx'
import { SiteProvider } from './site-provider.tsx'
import { WaitNotice } from './wait-notice.tsx'

/** What every page is in: the login, or the shell with the page. An expired session keeps the page and asks for the password over it. */
export function Frame() {
  const session = useSession()
  const state = useSessionState()
  const [error, setError] = useState<unknown>()
  const start = useCallback(() => {
    setError(undefined)
    session.start().catch(setError)
  }, [session])
  useEffect(() => {
    if (session.state() === 'unknown') start()
  }, [session, start])
  if (state === 'unknown') {
    return (
      <>
        <main className="page">{error === undefined ? <Skeleton lines={3} /> : <Failure error={error} onRetry={start} />}</main>
        <WaitNotice />
      </>
    )
  }
  if (state === 'logged-out') return <LoginPage />
  return (
    <>
      <Suspense
        fallback={
          <main className="page">
            <Skeleton lines={3} />
          </main>
        }
      >
        <SiteProvider>
          <Shell>
            <Suspense fallback={<Skeleton />}>
              <Outlet />
            </Suspense>
          </Shell>
        </SiteProvider>
      </Suspense>
      <WaitNotice />
      {state === 'expired' && <ExpiredSession />}
    </>
  )
}
