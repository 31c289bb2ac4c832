import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SiteModel } from '../../client/client.ts'
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

/** Shown for a record that does not exist for the user. It leads back to the list. */
export function NoRecord({ model }: { readonly model: SiteModel }) {
  const { errors, dashboard } = useText()
  return (
    <EmptyState
      title={errors.noRecordTitle}
      actions={
        <Link to="/models/$model" params={{ model: model.key }} className="button button-plain">
          {dashboard.openList(model.label)}
        </Link>
      }
    >
      {errors.noRecordText}
    </EmptyState>
  )
}

/** Shows a page to superusers; to others there is none, and nothing is requested. */
export const SuperusersOnly = ({ children }: { readonly children: ReactNode }) =>
  useSite().user.is_superuser ? children : <NotFound />
