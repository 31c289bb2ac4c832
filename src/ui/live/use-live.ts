import { createContext, use, useEffect, useSyncExternalStore } from 'react'
import type { ChangeEvent } from '../../client/client.ts'
import type { Live } from './live.ts'

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
