import { createContext, use, useSyncExternalStore } from 'react'
import type { PageSession, SessionState } from './page-session.ts'

/** Provides the session to the components of the page. */
export const SessionContext = createContext<PageSession | undefined>(undefined)

/** The session of the page. */
export function useSession(): PageSession {
  const session = use(SessionContext)
  if (session === undefined) throw new Error('SessionContext has no value')
  return session
}

/** The state of the session; the component renders again when it changes. */
export function useSessionState(): SessionState {
  const session = useSession()
  return useSyncExternalStore(session.subscribe, session.state)
}
