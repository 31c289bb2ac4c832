import { useQuery } from '@tanstack/react-query'
import { Sigma } from 'lucide-react'
import type { SiteField, SiteModel } from '../../client/client.ts'
import { isNumeric } from '../cells/choices.ts'
import { useSession } from '../data/page-session.ts'
import { type ListedPage, totalsQuery } from '../data/records.ts'
import { IconButton } from '../parts/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { Popover } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { formatNumber, roundedNumber } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import type { TotalsMenuProps } from './column-list.tsx'
import { columnClass, type ListColumn, type Total } from './columns.ts'
import type { Matches } from './selection.ts'

/** The columns that can be added up: numbers, but no ids and no choices. */
export const addedColumns = (columns: readonly ListColumn[]): readonly ListColumn[] =>
  columns.filter(({ field, view }) => isNumeric(field) && field.type !== 'primarykey' && view?.options?.choices === undefined)

const TotalChoices = lazyPart(() => import('./column-list.tsx').then((module) => module.TotalChoices))

/** Chooses the totals that stand below a list. */
export function TotalsMenu(totals: TotalsMenuProps) {
  const text = useText().list
  return (
    <Popover
      trigger={
        <IconButton
          className="list-look"
          label={text.totals}
          icon={<Sigma size={16} aria-hidden />}
          data-active={totals.chosen.length > 0 || undefined}
        />
      }
      label={text.totals}
      fallback={<Skeleton lines={2} />}
    >
      <TotalChoices {...totals} />
    </Popover>
  )
}

interface TotalRowsProps {
  readonly model: SiteModel
  readonly chosen: readonly Total[]
  readonly columns: readonly ListColumn[]
  /** Names of the columns that stay in sight. */
  readonly pinned: readonly string[]
  readonly matches: Matches
  readonly page: ListedPage
}

/** Totals of the records that match, over all pages: a row each, which is there before its numbers. */
export function TotalRows({ model, chosen, columns, pinned, matches, page }: TotalRowsProps) {
  const text = useText().list
  const locale = useLocale()
  const session = useSession()
  const added = addedColumns(columns)
  const filters = addedFilters(matches, page)
  const names = added.map(({ name }) => name)
  const { data, error, refetch } = useQuery({
    ...totalsQuery(session, model.key, { totals: chosen, fields: names, ...(filters ?? { filters: [], any: [] }) }),
    enabled: filters !== undefined,
  })
  const title = columns.find((column) => !added.includes(column))?.name
  const cell = ({ field, view }: ListColumn, total: Total) => {
    if (filters === undefined) return <span title={text.totalsOfSearch}>–</span>
    if (data === undefined) return <span className="list-total-wait" />
    const value = data[total]?.[field.name]
    const { decimal_places: places } = { ...field.bounds, ...view?.options }
    return shownTotal(value, total, field, typeof places === 'number' ? places : undefined, locale)
  }
  return (
    <tfoot className="list-totals" aria-busy={(filters !== undefined && data === undefined && error === null) || undefined}>
      {error !== null && (
        <tr>
          <td colSpan={columns.length + 1}>
            <Failure error={error} onRetry={() => void refetch()} />
          </td>
        </tr>
      )}
      {error === null &&
        chosen.map((total) => (
          <tr key={total}>
            <th scope="row" className="list-check">
              <span className="visually-hidden">{text.totalNames[total]}</span>
            </th>
            {columns.map((column) => (
              <td key={column.name} className={columnClass(column, pinned)}>
                {added.includes(column) ? (
                  cell(column, total)
                ) : column.name === title ? (
                  <span aria-hidden>{text.totalNames[total]}</span>
                ) : undefined}
              </td>
            ))}
          </tr>
        ))}
    </tfoot>
  )
}

/**
 * The filters of the records to add up. An aggregate takes no words of a search: what a search has found is named by id, as far as it is on
 * the page; undefined for more.
 */
function addedFilters({ q, filters, any }: Matches, { data, total }: ListedPage): Omit<Matches, 'q'> | undefined {
  if (q === '') return { filters, any }
  return total === data.length ? { filters: [`id__in=${data.map(({ id }) => id).join(',')}`], any: [] } : undefined
}

/** Decimals of an average of numbers that have none of their own. */
const FURTHER_PLACES = 2

/** A total as lists show it. */
export function shownTotal(value: unknown, total: Total, field: SiteField, places: number | undefined, locale: string): string {
  if (typeof value !== 'number' && typeof value !== 'string') return '–'
  if (total === 'avg') return roundedNumber(value, locale, places ?? 0, places ?? FURTHER_PLACES)
  return formatNumber(value, locale, field.type === 'integer' ? 0 : places)
}
