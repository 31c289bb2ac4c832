import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { SiteContext, siteQuery } from '../data/site.ts'
import { useSession } from '../session/use-session.ts'

/** Provides the site. Suspends until it is loaded. */
export function SiteProvider({ children }: { readonly children: ReactNode }) {
  return <SiteContext value={useSuspenseQuery(siteQuery(useSession())).data}>{children}</SiteContext>
}
