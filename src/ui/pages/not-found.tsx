import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSite } from '../data/site.ts'
import { EmptyState } from '../parts/states.tsx'
import { useText } from '../text/text.tsx'

/** Shown for an address without a page, and for a record or model that does not exist for the user. */
export function NotFound() {
  const text = useText().errors
  return (
    <EmptyState
      title={text.notFoundTitle}
      actions={
        <Link to="/" className="button button-plain">
          {text.home}
        </Link>
      }
    >
      {text.notFoundText}
    </EmptyState>
  )
}

/** Shows a page to superusers; to others there is none, and nothing is requested. */
export const SuperusersOnly = ({ children }: { readonly children: ReactNode }) =>
  useSite().user.is_superuser ? children : <NotFound />
