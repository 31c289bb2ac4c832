import { Link } from '@tanstack/react-router'
import type { SiteModel } from '../../client/client.ts'
import { may } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { useText } from '../text/text.tsx'

interface NoRecordsProps {
  readonly model: SiteModel
  /** True if a search or filters may be the reason. */
  readonly isNarrowed: boolean
  readonly onClear: () => void
}

/** Says that a list is empty, and what can be done. */
export function NoRecords({ model, isNarrowed, onClear }: NoRecordsProps) {
  const text = useText().list
  if (isNarrowed) {
    return (
      <EmptyState title={text.noMatches} actions={<Button onClick={onClear}>{text.clearFilters}</Button>}>
        {text.noMatchesText}
      </EmptyState>
    )
  }
  const add = may(model, 'add') && (
    <Link to="/models/$model/new" params={{ model: model.key }} className="button button-primary">
      {text.addFirst}
    </Link>
  )
  return <EmptyState title={text.empty(model.label)} actions={add || undefined} />
}
