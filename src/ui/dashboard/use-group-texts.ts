import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { SiteField } from '../../client/client.ts'
import { plainView } from '../cells/choices.ts'
import { valueText } from '../cells/value-text.ts'
import { useSession } from '../data/page-session.ts'
import { labelsQuery } from '../data/related.ts'
import { fieldOf, may, useModel } from '../data/site.ts'
import { formatDate, formatNumber, localeDates, roundedNumber } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { groupingOf, type PanelGroup, type PanelParts } from './panel-plan.ts'
import { weekIn } from './periods.ts'

/** Digits behind the point of an average of numbers that have none of their own. */
const FURTHER_PLACES = 2

/** Writes what a panel has computed, in the language of the page. */
export function useMeasureText({ panel, model }: PanelParts): (value: number | string | boolean | null) => string {
  const text = useText()
  const locale = useLocale()
  const { name = 'count', field: measuredField = null } = panel.measure ?? {}
  const field = measuredField === null ? undefined : fieldOf(model, measuredField)
  return useCallback(
    (value) => {
      if (value === null) return '–'
      if (field === undefined) return formatNumber(Number(value), locale)
      const { decimal_places: places } = field.bounds
      const decimals = typeof places === 'number' ? places : undefined
      if (name === 'avg') return roundedNumber(value as number, locale, decimals ?? 0, decimals ?? FURTHER_PLACES)
      if (name === 'sum') return formatNumber(value as number, locale, decimals)
      if (typeof value !== 'boolean' && (field.choices ?? []).length === 0 && decimals !== undefined)
        return formatNumber(value, locale, decimals)
      return valueText(String(value), field, plainView(field), { text, locale })
    },
    [field, name, locale, text],
  )
}

/** Names a group: the label of a choice, the name of a related record, a period as people write it. */
export function useGroupTexts(parts: PanelParts, groups: readonly PanelGroup[]): (key: PanelGroup['key']) => string {
  const text = useText()
  const { dashboard } = useLaterText()
  const locale = useLocale()
  const grouping = groupingOf(parts)
  const target = useModel(grouping?.field.relation?.model ?? '')
  const ids = groups.flatMap(({ key }) => (typeof key === 'number' ? [key] : []))
  const isNamed = may(target, 'view') && ids.length > 0
  const { data } = useQuery(labelsQuery(useSession(), isNamed ? target : undefined, ids))
  const names = new Map(isNamed ? data?.map(({ id, label }) => [id, label]) : [])
  return (key) => {
    if (key === null) return dashboard.noValue
    if (grouping?.period !== undefined) return periodText(String(key), locale, dashboard.week)
    if (grouping === undefined || grouping.field.relation !== null) return names.get(Number(key)) ?? `#${key}`
    return valueText(String(key), grouping.field as SiteField, plainView(grouping.field), { text, locale })
  }
}

/** `Week 48, 2026`, `Nov 2026`, `27 Nov 2026`, `2026`. */
export function periodText(name: string, locale: string, week: (number: number, year: string) => string): string {
  const parts = weekIn(name)
  if (parts !== undefined) return week(parts[1], parts[0])
  if (name.length === 4) return name
  if (name.length === 10) return formatDate(name, locale)
  const format = localeDates(locale, 'month', { month: 'short', year: 'numeric', timeZone: 'UTC' })
  return format.format(new Date(`${name}-01T00:00:00Z`))
}
