import { ArrowDown, ArrowUp, X } from 'lucide-react'
import type { SiteModel } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import { useText } from '../text/text.tsx'
import { type ListColumn, pathField } from './columns.ts'

interface SortChipProps {
  readonly model: SiteModel
  /** The sort keys by column, the most significant first. */
  readonly sort: readonly string[]
  /** All columns that the list can have. */
  readonly columns: readonly ListColumn[]
  /** Returns to the order of the list view; undefined if the list has it. */
  readonly onReset: (() => void) | undefined
}

/** Says how a list is sorted, by columns that are not shown too; nothing for the order by id or by relevance. */
export function SortChip({ model, sort, columns, onReset }: SortChipProps) {
  const text = useText().list
  const site = useSite()
  if (sort.length === 0) return undefined
  return (
    <span className="filter-chip sort-chip">
      <span className="filter-text">
        {text.sortedBy}
        {sort.map((key, place) => {
          const name = key.replace(/^-/, '')
          const Icon = key === name ? ArrowUp : ArrowDown
          return (
            <span key={name} className="sort-key">
              {columns.find((column) => column.name === name)?.label ?? pathField(site, model, name)?.label}
              <Icon size={12} aria-hidden />
              <span className="visually-hidden">{key === name ? text.ascending : text.descending}</span>
              {place < sort.length - 1 && ','}
            </span>
          )
        })}
      </span>
      {onReset !== undefined && (
        <button type="button" className="chip-remove" aria-label={text.resetSort} data-tooltip="" onClick={onReset}>
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  )
}
