import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { AdminError, createClient } from '../client/client.ts'
import { Live } from './data/live.ts'
import { PageSession, SessionContext } from './data/page-session.ts'
import { siteQuery } from './data/site.ts'
import { LiveContext } from './data/use-live.ts'
import { earlyFetch } from './early-requests.ts'
import { SettingsContext } from './hooks.ts'
import { LoadFailure } from './load-failure.ts'
import { readPageSettings } from './page-settings.ts'
import { markFirstContents, whenIdle } from './parts/lazy-part.ts'
import { PartsProvider } from './parts/tooltip.tsx'
import { preferences } from './preferences.ts'
import { createPageRouter } from './router.tsx'
import { TextProvider } from './text/text.tsx'

/** Reports the first contents of the page once its first reads have ended and the browser has time. */
function watchFirstReads(queries: QueryClient): void {
  let isDue = false
  const check = () => {
    isDue = false
    if (queries.isFetching() > 0) return
    stop()
    markFirstContents()
  }
  const stop = queries.getQueryCache().subscribe(() => {
    if (isDue || queries.isFetching() > 0) return
    isDue = true
    whenIdle(check)
  })
}

/** Milliseconds for which the page stays empty at most, while it is not known what to show. */
const MAX_WAIT_MS = 500

const settings = readPageSettings(document)
const client = createClient({
  url: settings.base_path,
  admin_path: settings.admin_path,
  api_version: settings.api_version,
  session: 'cookie',
  fetch: earlyFetch(globalThis.earlyResponses),
  // `PageSession` repeats what may be repeated, and says how long it waits.
  retry: { times: 0 },
})
const session = new PageSession(client, preferences)
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 5000,
      // `Live` reads again what has changed, and everything when the window gets the focus without a connection.
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // A server on this machine can be reached without a network.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
watchFirstReads(queries)
const live = new Live(session, queries)
const router = createPageRouter({ basePath: settings.base_path + settings.admin_path, session, queries, live })

const root = document.getElementById('page')
if (root === null) throw new Error('The page has no element with the id "page"')
// They have mostly been requested early. The first rendering then shows the page: React keeps what stands in for it for at least 300 ms.
const site = session.start().then(async () => {
  if (session.state() === 'logged-in') await queries.ensureQueryData(siteQuery(session))
  else await (await import('./sign-in/sign-in.tsx')).prepare(queries, settings)
})
const ready = Promise.allSettled([site, router.load()])
await Promise.race([ready, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))])
createRoot(root, {
  // A failed request is shown in place of the part that needed it, as code that cannot be loaded is; only a fault of the page itself is of use in the console.
  onCaughtError: (error) => {
    if (!(error instanceof AdminError || error instanceof LoadFailure)) console.error(error)
  },
}).render(
  <StrictMode>
    <SettingsContext value={settings}>
      <SessionContext value={session}>
        <QueryClientProvider client={queries}>
          <LiveContext value={live}>
            <Suspense>
              <TextProvider>
                <PartsProvider>
                  <RouterProvider router={router} />
                </PartsProvider>
              </TextProvider>
            </Suspense>
          </LiveContext>
        </QueryClientProvider>
      </SessionContext>
    </SettingsContext>
  </StrictMode>,
)
