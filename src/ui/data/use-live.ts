import type { QueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useSyncExternalStore } from 'react'
import type { ChangeEvent } from '../../client/client.ts'
import type { Live } from './live.ts'
import type { PageSession } from './page-session.ts'
import { siteQuery } from './site.ts'

/** Provides the live changes to the components of the page. */
export const LiveContext = createContext<Live | undefined>(undefined)

function useLive(): Live {
  const live = use(LiveContext)
  if (live === undefined) throw new Error('LiveContext has no value')
  return live
}

/** Calls a function for each change of a record. @param onChange must be the same function until it should be replaced */
export function useChanges(onChange: (change: ChangeEvent) => void): void {
  const live = useLive()
  useEffect(() => live.onChange(onChange), [live, onChange])
}

/** True once the connection to the server has been missing for a while. */
export function useIsOffline(): boolean {
  const live = useLive()
  return useSyncExternalStore(live.onConnection, live.isOffline)
}

/** Follows the changes while the component is there. @param isPossible false if the user may not view any model */
export function useFollowing(isPossible: boolean): void {
  const live = useLive()
  useEffect(() => {
    if (!isPossible) return
    const controller = new AbortController()
    live.follow(controller.signal)
    return () => controller.abort()
  }, [live, isPossible])
}

/** What follows changes, and what it has to know for that. */
interface Ahead {
  readonly session: PageSession
  readonly queries: QueryClient
  readonly live: Live
}

/** Requests the stream of changes before the page reads its records. Never fails: the page itself meets the same failure. */
export async function followAhead({ session, queries, live }: Ahead): Promise<void> {
  try {
    await session.start()
    if (session.state() !== 'logged-in') return
    const { capabilities } = await queries.ensureQueryData(siteQuery(session))
    if (capabilities.events) live.begin()
  } catch {
    // The query keeps its error.
  }
}
