import { Link } from '@tanstack/react-router'
import { EmptyState } from '../parts/empty-state.tsx'
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
