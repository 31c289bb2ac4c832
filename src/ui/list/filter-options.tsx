import { useQuery } from '@tanstack/react-query'
import { Check, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { choicesOf } from '../cells/choices.ts'
import { useSession } from '../data/page-session.ts'
import { countsQuery } from '../data/records.ts'
import { labelsQuery, optionOf, optionsQuery } from '../data/related.ts'
import { useModel, useSite } from '../data/site.ts'
import { usePause } from '../hooks.ts'
import { Chip } from '../parts/chip.tsx'
import { Failure } from '../parts/states.tsx'
import { formatNumber, matchingOptions } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import type { FilterField } from './filter-labels.ts'
import { apiFilters, PERIODS, type Period } from './filter-text.ts'

interface Option {
  readonly key: string
  readonly label: string
  readonly color?: string | undefined
  /** Number of records that have the value. */
  readonly count?: number | undefined
}

interface OptionListProps {
  readonly label: string
  readonly options: readonly Option[]
  readonly chosen: readonly string[]
  /** True if several options can be chosen: they are boxes to tick. */
  readonly isMultiple: boolean
  readonly onChoose: (key: string) => void
  readonly onClose: () => void
  /** Words that the options match; undefined without a search. */
  readonly search?: string
  readonly onSearch?: (search: string) => void
  readonly isLoading?: boolean
}

/** Options to choose from; arrow keys move between them. Enter in the search takes the first one, elsewhere it closes a list of boxes. */
function OptionList(props: OptionListProps) {
  const { label, options, chosen, isMultiple, onChoose, onClose, search, onSearch, isLoading = false } = props
  const text = useText().common
  const locale = useLocale()
  const first = options[0]
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const controls = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button')]
      const place = event.target instanceof HTMLElement ? controls.indexOf(event.target) : -1
      controls[Math.min(Math.max(place + step, 0), controls.length - 1)]?.focus()
    }
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    if (event.target.type === 'checkbox' || search === '') onClose()
    else if (first !== undefined && !isLoading) onChoose(first.key)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the inputs and buttons within.
    <div className="filter-options" onKeyDown={onKeyDown}>
      {onSearch !== undefined && (
        <label className="combobox-search">
          <Search size={14} aria-hidden />
          <input
            className="combobox-input"
            value={search}
            placeholder={text.search}
            aria-label={text.search}
            autoComplete="off"
            onChange={(event) => onSearch(event.target.value)}
          />
        </label>
      )}
      <ul className="filter-option-list" aria-label={label} aria-busy={isLoading || undefined}>
        {options.map((option) => {
          const isChosen = chosen.includes(option.key)
          return (
            <li key={option.key}>
              <OptionRow isChosen={isChosen} isMultiple={isMultiple} onChoose={() => onChoose(option.key)}>
                <span className="filter-option-label">
                  {option.color === undefined ? option.label : <Chip color={option.color}>{option.label}</Chip>}
                </span>
                {option.count !== undefined && <span className="filter-count">{formatNumber(option.count, locale)}</span>}
              </OptionRow>
            </li>
          )
        })}
      </ul>
      {options.length === 0 && <p className="combobox-empty">{isLoading ? text.loading : text.noMatches}</p>}
    </div>
  )
}

interface OptionRowProps {
  readonly isChosen: boolean
  readonly isMultiple: boolean
  readonly onChoose: () => void
  readonly children: ReactNode
}

function OptionRow({ isChosen, isMultiple, onChoose, children }: OptionRowProps) {
  if (isMultiple) {
    return (
      <label className="menu-item">
        <input type="checkbox" checked={isChosen} onChange={onChoose} />
        {children}
      </label>
    )
  }
  return (
    <button type="button" className="menu-item" aria-pressed={isChosen} data-first-focus="" onClick={onChoose}>
      <span className="menu-icon">{isChosen && <Check size={14} aria-hidden />}</span>
      {children}
    </button>
  )
}

/** What lists of the values of a filter share. */
interface ValueListProps {
  readonly shown: FilterField
  readonly chosen: readonly string[]
  readonly isMultiple: boolean
  readonly onChoose: (key: string) => void
  readonly onClose: () => void
}

interface ChoiceListProps extends ValueListProps {
  readonly model: SiteModel
  /** The other filters of the list, as its address holds them; undefined where records by value cannot be counted. */
  readonly others: readonly string[] | undefined
}

/** Number of choices from which on they can be searched. */
const MANY = 10

/** The choices of a field with the number of records that have each of them, of those that the other filters leave. */
export function ChoiceList({ model, shown, others, chosen, ...list }: ChoiceListProps) {
  const { common } = useText()
  const site = useSite()
  const session = useSession()
  const [search, setSearch] = useState('')
  const { field, view } = shown
  const filters = apiFilters(site, model, others ?? [], new Date())
  const counts = useQuery({ ...countsQuery(session, model.key, field.name, filters), enabled: others !== undefined })
  const { labels = {} } = view.options ?? {}
  const choices =
    field.type === 'boolean'
      ? [
          { key: 'true', label: labels.true ?? common.yes },
          { key: 'false', label: labels.false ?? common.no },
        ]
      : choicesOf(view, field)
  // A value of an address that is no choice can be given up.
  const unknown = chosen.filter((key) => choices.every((choice) => choice.key !== key)).map((key) => ({ key, label: key }))
  const options = [...choices, ...unknown].map((choice) => ({
    ...choice,
    count: counts.data === undefined ? undefined : (counts.data[choice.key] ?? 0),
  }))
  return (
    <OptionList
      label={view.title}
      options={matchingOptions(options, search)}
      chosen={chosen}
      {...list}
      {...(options.length >= MANY && { search, onSearch: setSearch })}
    />
  )
}

/** Records of the related model, with a search on the server. The chosen ones stand first. */
export function RelatedList({ shown, chosen, onChoose, ...list }: ValueListProps) {
  const session = useSession()
  const target = useModel(shown.field.relation?.model ?? '')
  const [search, setSearch] = useState('')
  // Those that were chosen when the list was opened, so that no row moves when it is ticked.
  const [first] = useState(() => chosen.map(Number))
  const settled = usePause(search)
  const found = useQuery(optionsQuery(session, target, settled))
  const names = useQuery({ ...labelsQuery(session, target, first), enabled: first.length > 0 })
  const isCurrent = settled === search && !found.isPlaceholderData
  const all = (found.data ?? []).map(optionOf)
  const head =
    search === '' ? first.map((id) => optionOf(names.data?.find((each) => each.id === id) ?? { id, label: undefined })) : []
  const tail = (isCurrent ? all : matchingOptions(all, search)).filter(({ value }) => head.every((each) => each.value !== value))
  const error = found.error ?? names.error
  if (error !== null) return <Failure error={error} onRetry={() => void (found.error === null ? names : found).refetch()} />
  return (
    <OptionList
      label={shown.view.title}
      options={[...head, ...tail].map(({ value, label }) => ({ key: value, label }))}
      chosen={chosen}
      onChoose={onChoose}
      {...list}
      search={search}
      onSearch={setSearch}
      isLoading={!isCurrent || found.isPending}
    />
  )
}

/** Periods that move with the calendar. */
export function PeriodList({ shown, chosen, onChoose, onClose }: Omit<ValueListProps, 'isMultiple'>) {
  const { periods } = useText().list
  const options = PERIODS.map((key: Period) => ({ key, label: periods[key] }))
  return <OptionList label={shown.view.title} {...{ options, chosen, onChoose, onClose }} isMultiple={false} />
}
