import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import { useLocale } from '../../cells/use-locale.ts'
import { labelsQuery } from '../../data/related.ts'
import { may, modelOf, useSite } from '../../data/site.ts'
import type { ListView } from '../../data/views.ts'
import { Failure } from '../../parts/failure.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { filterField } from './filter-field.ts'
import { operatorText, shownValue } from './filter-labels.ts'
import { FilterPopover } from './filter-popover.tsx'
import { filteredField, filterText, isUsable, itemsOf, parseFilter } from './filter-text.ts'

interface FilterChipProps {
  readonly model: SiteModel
  readonly view: ListView
  /** The filter as the API takes it. */
  readonly text: string
  /** @param text undefined to remove the filter */
  readonly onChange: (text: string | undefined) => void
}

/** A filter of a list in words. It opens an editor; a filter that the API would reject says so and is not used. */
export function FilterChip({ model, view, text: source, onChange }: FilterChipProps) {
  const text = useText()
  const site = useSite()
  const locale = useLocale()
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const filter = parseFilter(source)
  const found = filter && filteredField(site, model, filter.path)
  const target = found?.field.relation ? modelOf(site, found.field.relation.model) : undefined
  const ids =
    filter === undefined || filter.operator === 'isnull' ? [] : itemsOf(filter.value).map(Number).filter(Number.isSafeInteger)
  const names = useQuery({ ...labelsQuery(session, target, ids), enabled: may(target, 'view') && ids.length > 0 })

  if (filter === undefined || found === undefined || !isUsable(site, model, source)) {
    return (
      <span className="filter-chip filter-unknown">
        <span className="filter-text">{text.list.unknownFilter(source)}</span>
        <RemoveButton label={source} onRemove={() => onChange(undefined)} />
      </span>
    )
  }
  const nameOf = (id: string) =>
    found.field.relation === null ? undefined : (names.data?.find((each) => String(each.id) === id)?.label ?? `#${id}`)
  const isOwn = !filter.path.includes('__')
  const shown = filterField(found.field, isOwn ? view : undefined)
  const value = shownValue(filter, shown, { locale, nameOf, yes: text.common.yes, no: text.common.no })
  const words = [isOwn ? shown.view.title : found.label, operatorText(text.list, filter, found.field), value]
    .filter((part) => part !== '')
    .join(' ')
  return (
    <>
      <span className="filter-chip">
        <FilterPopover
          trigger={
            <button type="button" className="filter-text" title={words}>
              {words}
            </button>
          }
          label={text.list.editFilter}
          isOpen={isOpen}
          onOpenChange={setOpen}
          model={found.model}
          fields={[shown]}
          filter={filter}
          onApply={({ operator, value: next }) => {
            setOpen(false)
            onChange(filterText({ path: filter.path, operator, value: next }))
          }}
        />
        <RemoveButton label={words} onRemove={() => onChange(undefined)} />
      </span>
      {names.error !== null && <Failure error={names.error} onRetry={() => void names.refetch()} />}
    </>
  )
}

function RemoveButton({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) {
  const text = useText().common
  return (
    <button type="button" className="chip-remove" aria-label={text.remove(label)} onClick={onRemove}>
      <X size={12} aria-hidden />
    </button>
  )
}
