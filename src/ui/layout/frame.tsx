import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useSession, useSessionState } from '../data/page-session.ts'
import type { RequestWait } from '../data/request-waits.ts'
import { localSite, SiteContext, siteQuery } from '../data/site.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useMissingLanguage, useText } from '../text/text.tsx'
import { Shell } from './shell.tsx'

const loadSignIn = () => import('../sign-in/sign-in.tsx')
const LoginPage = lazyPart(() => loadSignIn().then((part) => part.LoginPage))
const LinkPage = lazyPart(() => loadSignIn().then((part) => part.LinkPage))
const Interruption = lazyPart(() => loadSignIn().then((part) => part.Interruption))

/** Addresses that links of mails and providers lead to; they need no session. */
const LINKS = /^\/(reset-password|accept-invitation|verify-email|sign-in)$/

/** What every page is in: the login, or the shell with the page. What the session needs is asked for over the page, which stays. */
export function Frame() {
  const session = useSession()
  const state = useSessionState()
  const [, link] = LINKS.exec(useLocation().pathname) ?? []
  const [error, setError] = useState<unknown>()
  const start = useCallback(() => {
    setError(undefined)
    session.start().catch(setError)
  }, [session])
  useEffect(() => {
    if (session.state() === 'unknown') start()
  }, [session, start])
  const toasts = useToasts()
  const { languageFailed } = useText().shell
  const missing = useMissingLanguage()
  useEffect(() => {
    if (missing !== undefined) toasts.failed(languageFailed(missing))
  }, [missing, languageFailed, toasts])
  if (link !== undefined) return <LinkPage name={link} />
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
      {state !== 'logged-in' && (
        <Loaded>
          <Interruption need={state} />
        </Loaded>
      )}
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
