import { Outlet } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { Skeleton } from '../parts/skeleton.tsx'
import { useSession, useSessionState } from '../session/use-session.ts'
import { ExpiredSession } from './expired-session.tsx'
import { LoginPage } from './login-page.tsx'
import { Shell } from './shell.tsx'

/** What every page is in: the login, or the shell with the page. An expired session keeps the page and asks for the password over it. */
export function Frame() {
  const session = useSession()
  const state = useSessionState()
  useEffect(() => {
    if (session.state() === 'unknown') void session.start()
  }, [session])
  if (state === 'unknown') return <Skeleton lines={3} />
  if (state === 'logged-out') return <LoginPage />
  return (
    <>
      <Shell>
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </Shell>
      {state === 'expired' && <ExpiredSession />}
    </>
  )
}
