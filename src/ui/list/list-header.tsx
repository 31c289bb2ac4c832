import { Link } from '@tanstack/react-router'
import { Plus, Upload } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { may, useSite, wordsOf } from '../data/site.ts'
import { useNoun } from '../data/use-views.ts'
import type { ListView } from '../data/views.ts'
import { ActionBar } from '../form/action-bar.tsx'
import { modelOffers } from '../form/action-offers.ts'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { ExportMenu, type ShownList } from './export-menu.tsx'
import { parseFilter } from './filter-text.ts'
import { allSelected, type Matches } from './selection.ts'

const InviteUser = partOnUse(() => import('../accounts/invite-user.tsx').then((module) => module.InviteUser))

interface ListHeaderProps {
  readonly model: SiteModel
  readonly total: number | undefined
  readonly matches: Matches
  /** The order of the export: that of the list. */
  readonly sort: readonly string[]
  readonly shown: ShownList
}

/** Title of a list, number of matches, and what can be done with all of them. */
export function ListHeader({ model, total, matches, sort, shown }: ListHeaderProps) {
  const text = useText().list
  const noun = useNoun()
  const locale = useLocale()
  const { capabilities, user } = useSite()
  const { key } = model
  return (
    <PageHeader
      title={model.label}
      facts={total !== undefined && <span role="status">{text.total(total, total.toLocaleString(locale))}</span>}
      actions={
        <>
          <ActionBar model={model} offers={modelOffers(model, shown.view)} records={null} count={0} />
          {total !== undefined && total > 0 && <ExportMenu {...{ model, matches, sort, shown }} selection={allSelected(total)} />}
          {key === 'user' && user.is_superuser && (
            <Loaded>
              <InviteUser />
            </Loaded>
          )}
          {may(model, 'add') && capabilities.import && (
            <Link to="/models/$model/import" params={{ model: key }} className="button button-plain">
              <Upload size={16} aria-hidden />
              <span className="button-text">{text.import}</span>
            </Link>
          )}
          {may(model, 'add') && (
            <Link
              to="/models/$model/new"
              params={{ model: key }}
              search={{ fill: matches.filters.filter((filter) => isFill(model, filter)) }}
              className="button button-primary"
            >
              <Plus size={16} aria-hidden />
              {text.addOne(noun(model))}
            </Link>
          )}
        </>
      }
    />
  )
}

/** True for a filter by one related record, which a new record of the list has, too. */
function isFill(model: SiteModel, filter: string): boolean {
  const { path = '', operator } = parseFilter(filter) ?? {}
  const type = model.fields.find(({ name }) => name === path)?.type
  return operator === 'eq' && (type === 'foreignkey' || type === 'one_to_one')
}

interface ListTabsProps {
  readonly lists: readonly ListView[]
  readonly shown: ListView
  readonly onChange: (name: string) => void
}

/** The list views of a model, where it has several. */
export function ListTabs({ lists, shown, onChange }: ListTabsProps) {
  const text = useText().list
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [shown.name])
  return (
    <nav ref={nav} className="tabs tabs-line" aria-label={text.views}>
      {lists.map(({ name }) => (
        <button
          key={name}
          type="button"
          className="tab"
          data-active={name === shown.name || undefined}
          aria-current={name === shown.name ? 'page' : undefined}
          onClick={() => onChange(name)}
        >
          {wordsOf(name)}
        </button>
      ))}
    </nav>
  )
}
