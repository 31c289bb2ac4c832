import { Bookmark, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { usePreference } from '../hooks.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Popover } from '../parts/popups.tsx'
import type { SavedFilter } from '../preferences.ts'
import { parseSearch, stringifySearch } from '../search-params.ts'
import { useText } from '../text/text.tsx'
import { type ChangeList, type ListState, listSearch, readListState } from './list-state.ts'

interface SavedFiltersProps {
  readonly model: SiteModel
  readonly state: ListState
  readonly change: ChangeList
}

/** Search, filters and order of a list under names. The browser keeps them. */
export function SavedFilters({ model, state, change }: SavedFiltersProps) {
  const text = useText()
  const [all, setAll] = usePreference('savedFilters')
  const [isOpen, setOpen] = useState(false)
  const saved = all?.[model.key] ?? []
  const keep = (next: readonly SavedFilter[]) => setAll({ ...all, [model.key]: next })

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (name === '') return
    const search = stringifySearch(listSearch({ ...state, page: 1 }))
    keep([...saved.filter((each) => each.name !== name), { name, search }])
    setOpen(false)
  }
  const open = ({ search }: SavedFilter) => {
    change(readListState(parseSearch(search)))
    setOpen(false)
  }

  return (
    <Popover
      trigger={<IconButton className="list-look" label={text.list.savedFilters} icon={<Bookmark size={16} aria-hidden />} />}
      label={text.list.savedFilters}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <div className="list-form">
        {saved.length > 0 && (
          <ul className="saved-filters">
            {saved.map((filter) => (
              <li key={filter.name}>
                <button type="button" className="menu-item" onClick={() => open(filter)}>
                  {filter.name}
                </button>
                <IconButton
                  label={text.common.remove(filter.name)}
                  icon={<Trash2 size={14} aria-hidden />}
                  onClick={() => keep(saved.filter((each) => each !== filter))}
                />
              </li>
            ))}
          </ul>
        )}
        <form className="saved-form" onSubmit={save}>
          <LabelledField label={text.list.saveAs} help={text.list.savedHelp}>
            {(links) => <input {...links} className="input" name="name" maxLength={60} autoComplete="off" />}
          </LabelledField>
          <Button type="submit">{text.common.save}</Button>
        </form>
      </div>
    </Popover>
  )
}
