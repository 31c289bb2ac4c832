import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useSession, useSessionState } from '../data/page-session.ts'
import type { RequestWait } from '../data/request-waits.ts'
import { localSite, SiteContext, siteQuery } from '../data/site.ts'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'
import { ExpiredSession, LoginPage } from './login.tsx'
import { Shell } from './shell.tsx'

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

/** Provides the site. Suspends until it is loaded. */
function SiteProvider({ children }: { readonly children: ReactNode }) {
  const { accounts } = useText()
  const { data } = useSuspenseQuery(siteQuery(useSession()))
  const site = useMemo(() => localSite(data, accounts), [data, accounts])
  return <SiteContext value={site}>{children}</SiteContext>
}

/** Says at the edge of the page that refused requests wait, and for how long. */
function WaitNotice() {
  const { waits } = useSession()
  const wait = useSyncExternalStore(waits.subscribe, waits.last)
  return wait === undefined ? undefined : <Countdown key={wait.until} wait={wait} />
}

function Countdown({ wait: { cause, until } }: { readonly wait: RequestWait }) {
  const text = useText().errors.waiting[cause]
  const [first] = useState(() => secondsUntil(until))
  const [seconds, setSeconds] = useState(first)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsUntil(until)), 1000)
    return () => clearInterval(timer)
  }, [until])
  return (
    <div className="wait-notice">
      <Notice kind="info">
        {/* Assistive technologies announce the wait once, not each second of it. */}
        <span className="visually-hidden">{text(first)}</span>
        <span aria-hidden>{text(seconds)}</span>
      </Notice>
    </div>
  )
}

const secondsUntil = (time: number): number => Math.max(1, Math.ceil((time - Date.now()) / 1000))
