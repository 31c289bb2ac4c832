import type { ReactNode } from 'react'
import { useSite } from '../data/site.ts'
import { NotFound } from '../pages/not-found.tsx'

/** Shows a page to superusers; to others there is none, and nothing is requested. */
export const SuperusersOnly = ({ children }: { readonly children: ReactNode }) =>
  useSite().user.is_superuser ? children : <NotFound />
