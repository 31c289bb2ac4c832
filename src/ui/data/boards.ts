import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Aggregate, SiteField } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'
import type { AnyRecord, ListPlan } from './records.ts'

/** Records of a page that a layout asks for. */
export const LAYOUT_PAGE = 50

/** Records that a layout shows, of all that match. */
export interface LaidRecords {
  readonly records: readonly AnyRecord[]
  /** Number of all matches. */
  readonly total: number
  /** Ids of records that the user may not change; those of a search are not known. */
  readonly fixed: ReadonlySet<number>
}

/** No records that the user may not change. */
export const NONE_FIXED: ReadonlySet<number> = new Set()

/** How much a layout reads. */
interface LaidOptions {
  readonly pages: number
  /** Records of a page. Default: 50. */
  readonly size?: number
  /** True to ask which of the records the user may change. */
  readonly isEdited: boolean
}

/** What a layout reads; it asks for pages itself. */
export type LayoutPlan = Omit<ListPlan, 'page' | 'page_size'>

/** The query of the first pages of records that match. @param part says what of a layout they are, and what stays while they are read */
export const laidQuery = (
  session: PageSession,
  model: string,
  part: string,
  plan: LayoutPlan,
  { pages, size = LAYOUT_PAGE, isEdited }: LaidOptions,
) =>
  queryOptions({
    queryKey: ['records', model, 'laid', part, plan, pages, isEdited],
    queryFn: async ({ signal }): Promise<LaidRecords> => {
      const { q, fields, ...query } = plan
      const records: AnyRecord[] = []
      const fixed = new Set<number>()
      for (let page = 1; ; page++) {
        const paged = { ...query, page, page_size: size }
        const read = await session.read(signal, (client) =>
          q === ''
            ? client.model(model).list({ ...paged, fields, editing: isEdited || undefined }, { signal })
            : client.model(model).search(q, paged, { signal }),
        )
        records.push(...read.data)
        const can = 'can' in read ? read.can : undefined
        for (const [place, { id }] of read.data.entries()) if (can?.[place]?.includes('change') === false) fixed.add(id)
        if (!read.has_next || page === pages) return { records, total: read.total, fixed }
      }
    },
    placeholderData: (former: LaidRecords | undefined, query) =>
      query?.queryKey[1] === model && query.queryKey[3] === part ? former : undefined,
  })

/** Records with the same value of a field. */
export interface Group {
  /** Null for records without a value. */
  readonly value: string | number | boolean | null
  readonly count: number
  readonly totals: Aggregate
}

/** Totals of fields by what is computed of them. */
interface GroupTotals {
  readonly totals: readonly ('sum' | 'avg')[]
  readonly fields: readonly string[]
}

/** The query of the groups that the values of a field make of the records that match. */
export const groupsQuery = (
  session: PageSession,
  model: string,
  { name }: SiteField,
  { filters, any }: Pick<ListPlan, 'filters' | 'any'>,
  { totals, fields }: GroupTotals,
) =>
  queryOptions({
    queryKey: ['records', model, 'groups', name, filters, any, totals, fields],
    queryFn: async ({ signal }): Promise<readonly Group[]> => {
      const measured = fields.length === 0 ? {} : Object.fromEntries(totals.map((total) => [total, fields]))
      const query = { group_by: [name], count: true, ...measured, filters, any }
      const { data } = await session.read(signal, (client) => client.model(model).aggregate(query, { signal }))
      return data.map((each) => ({ value: each.group[name] ?? null, count: each.count ?? 0, totals: each }))
    },
    placeholderData: keepPreviousData,
  })
