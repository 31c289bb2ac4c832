import { Link } from '@tanstack/react-router'
import type { HistoryEntry } from '../../../client/client.ts'
import { modelOf, useSite } from '../../data/site.ts'

/** Names the record of an entry, with a link if it may still exist. */
export function HistoryRecord({ entry: { model: key, record_id: id, action } }: { readonly entry: HistoryEntry }) {
  const model = modelOf(useSite(), key)
  const name = `${model?.label ?? key} ${id}`
  if (model === undefined || action === 'delete') return name
  return (
    <Link to="/models/$model/$id" params={{ model: key, id: String(id) }}>
      {name}
    </Link>
  )
}

const COLORS = { create: 'green', update: 'blue', delete: 'red' } as const

/** The colour of an action. */
export const actionColor = (action: HistoryEntry['action']): string => COLORS[action]
