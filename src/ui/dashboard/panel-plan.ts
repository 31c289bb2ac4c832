import { queryOptions } from '@tanstack/react-query'
import type { Aggregate, Site, SiteField, SiteModel, SitePanel } from '../../client/client.ts'
import type { PageSession } from '../data/page-session.ts'
import { fieldOf } from '../data/site.ts'
import { type ApiFilters, apiFilters, isUsable } from '../list/filter-text.ts'
import type { SearchParams } from '../search-params.ts'
import { lastPeriods, spanOf } from './periods.ts'

/** A panel with its model. */
export interface PanelParts {
  readonly panel: SitePanel
  readonly model: SiteModel
}

/** The filters of a panel for the API; undefined if the page does not know one of them, so that no number is of other records. */
export function panelFilters(site: Site, { panel, model }: PanelParts, now: Date): ApiFilters | undefined {
  const isKnown = panel.filters.every((text) => isUsable(site, model, text))
  return isKnown ? apiFilters(site, model, panel.filters, now) : undefined
}

/** The address of the list behind a panel, or behind one of its groups. */
export function listBehind({ panel }: PanelParts, further: readonly string[] = []): SearchParams {
  const filters = [...panel.filters, ...further]
  return {
    list: panel.link === false || panel.link === null ? undefined : panel.link,
    filter: filters.length > 0 ? filters : undefined,
    sort: typeof panel.sort === 'object' && panel.sort !== null ? panel.sort.join(',') : undefined,
  }
}

/** What a panel groups by: a field, and its period for one of dates. */
export function groupingOf({ panel, model }: PanelParts): { readonly field: SiteField; readonly period?: string } | undefined {
  const [name = '', period] = (panel.group_by ?? '').split(':')
  const field = fieldOf(model, name)
  return field && { field, ...(period === undefined ? {} : { period }) }
}

/** The query of the numbers of a panel, which live changes read again with the lists of its model. */
export const panelQuery = (session: PageSession, { panel, model }: PanelParts, { filters, any }: ApiFilters) => {
  const { group_by: groupBy, measure } = panel
  return queryOptions({
    queryKey: ['records', model.key, 'panel', groupBy, measure, filters, any],
    queryFn: async ({ signal }) => {
      const field = measure?.field ?? undefined
      const query = {
        group_by: groupBy === null ? [] : [groupBy],
        count: measure === null || measure.name === 'count' || undefined,
        ...(measure === null || field === undefined ? {} : { [measure.name]: [field] }),
        filters,
        any,
      }
      const { data } = await session.read(signal, (client) => client.model(model.key).aggregate(query, { signal }))
      return data
    },
  })
}

/** The value of a group, as the API writes it; null where there is nothing to compute. */
export function measured({ measure }: SitePanel, group: Aggregate | undefined): number | string | boolean | null {
  if (measure === null || measure.name === 'count') return group?.count ?? 0
  return group?.[measure.name]?.[measure.field ?? ''] ?? null
}

/** A group as it is drawn. */
export interface PanelGroup {
  /** The value that makes the group, or the name of its period; null for records without one. */
  readonly key: string | number | boolean | null
  /** As the API writes it; null for nothing. */
  readonly value: number | string | null
}

/** Groups that are shown of those that a panel has. */
export interface ShownGroups {
  readonly shown: readonly PanelGroup[]
  /** Number of groups that are not shown. */
  readonly further: number
}

const DEFAULT_GROUPS = 10
const DEFAULT_PERIODS = 26

/** The groups of a panel in the order of the panel, up to its limit. A line has all periods between its ends. */
export function shownGroups(parts: PanelParts, data: readonly Aggregate[]): ShownGroups {
  const { panel } = parts
  const key = panel.group_by ?? ''
  const groups = data.map((group): PanelGroup => {
    const value = measured(panel, group)
    return { key: group.group[key] ?? null, value: typeof value === 'boolean' ? null : value }
  })
  if (panel.kind === 'line') return periods(panel, groups)
  const grouping = groupingOf(parts)
  const ordered = orderOf(panel, grouping) === 'value' ? groups.toSorted(byValue) : inOrder(groups, grouping?.field)
  const limit = panel.limit ?? DEFAULT_GROUPS
  return { shown: ordered.slice(0, limit), further: Math.max(0, ordered.length - limit) }
}

/** Choices and periods have an order of their own; the greatest of others stand first. */
function orderOf({ sort }: SitePanel, grouping: ReturnType<typeof groupingOf>): 'value' | 'group' {
  if (sort === 'value' || sort === 'group') return sort
  return grouping?.period !== undefined || (grouping?.field.choices ?? []).length > 0 ? 'group' : 'value'
}

const byValue = (one: PanelGroup, other: PanelGroup): number =>
  Number(other.value ?? Number.NEGATIVE_INFINITY) - Number(one.value ?? Number.NEGATIVE_INFINITY)

/** Groups of choices in the order of the choices; others as the API has them. */
function inOrder(groups: readonly PanelGroup[], field: SiteField | undefined): readonly PanelGroup[] {
  const places = new Map((field?.choices ?? []).map(({ value }, place) => [String(value), place]))
  const placeOf = ({ key }: PanelGroup) => places.get(String(key)) ?? places.size
  return places.size === 0 ? groups : groups.toSorted((one, other) => placeOf(one) - placeOf(other))
}

function periods(panel: SitePanel, groups: readonly PanelGroup[]): ShownGroups {
  const byKey = new Map(groups.flatMap(({ key, value }) => (key === null ? [] : [[String(key), value] as const])))
  const shown = lastPeriods([...byKey.keys()], panel.limit ?? DEFAULT_PERIODS)
  // Where nothing was counted or added up, there is nothing; an average of nothing is none.
  const none = panel.measure?.name === 'count' || panel.measure?.name === 'sum' ? 0 : null
  return { shown: shown.map((key) => ({ key, value: byKey.get(key) ?? none })), further: 0 }
}

/** Types whose records belong to several groups. */
const LISTS = new Set(['many_to_many', 'multichoice'])

/** The filters of the records of a group. */
export function groupFilters(parts: PanelParts, key: PanelGroup['key']): readonly string[] {
  const grouping = groupingOf(parts)
  if (grouping === undefined) return []
  const { field, period } = grouping
  if (key === null) return [`${field.name}__isnull=true`]
  if (period === undefined) {
    const operator = LISTS.has(field.type) ? '__in' : ''
    return [`${field.name}${operator}=${key}`]
  }
  const [from, to] = spanOf(String(key))
  // Periods are in UTC.
  const end = field.type === 'datetime' ? 'T00:00:00.000Z' : ''
  return [`${field.name}__gte=${from}${end}`, `${field.name}__lt=${to}${end}`]
}
