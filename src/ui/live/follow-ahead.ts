import type { QueryClient } from '@tanstack/react-query'
import { siteQuery } from '../data/site.ts'
import type { PageSession } from '../session/page-session.ts'
import type { Live } from './live.ts'

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
