import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { Page } from '../../client/client.ts'
import { useSession } from './page-session.ts'
import { type AnyRecord, type ListPlan, listQuery } from './records.ts'

/** Records in the order of the list from which one of them was opened. The history of the browser keeps it beside the address. */
export interface RecordOrder {
  /** Key of the model. */
  readonly model: string
  readonly ids: readonly number[]
  /** Place of the first of the ids among all records of the list, from 0. */
  readonly start: number
  readonly total: number
  readonly plan: ListPlan
}

declare module '@tanstack/history' {
  interface HistoryState {
    readonly records?: RecordOrder
  }
}

/** The order of a page of a list. */
export const orderOf = (model: string, plan: ListPlan, { data, page, page_size, total }: Page<AnyRecord>): RecordOrder => ({
  model,
  ids: data.map(({ id }) => id),
  start: (page - 1) * page_size,
  total,
  plan,
})

/** The place of an open record in the list that it was opened from. */
interface RecordPlace {
  /** From 0. */
  readonly place: number
  readonly total: number
  /**
   * Opens the previous or the next record; false if the list no longer has one.
   *
   * @throws {AdminError} when the next page of the list cannot be read
   */
  readonly go: (by: -1 | 1) => Promise<boolean>
}

/** The place of the record in the list that it was opened from; undefined if it was opened in another way. */
export function useRecordPlace(model: string, id: number): RecordPlace | undefined {
  const order = useLocation({ select: ({ state }) => state.records })
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const index = order?.model === model ? order.ids.indexOf(id) : -1
  if (order === undefined || index === -1) return undefined

  const { ids, start, total, plan } = order
  const open = async (next: number, records: RecordOrder): Promise<true> => {
    const params = { model, id: String(next) }
    // Back leads to the list.
    await navigate({ to: '/models/$model/$id', params, search: true, state: { records }, replace: true })
    return true
  }
  const go = async (by: -1 | 1) => {
    const known = ids[index + by]
    if (known !== undefined) return open(known, order)
    let page = Math.floor((start + index + by) / plan.page_size) + 1
    // Meanwhile records may have been added before this one, which is then on the page, or deleted: a page may have no records.
    while (page > 0) {
      const read = await queries.fetchQuery({ ...listQuery(session, model, { ...plan, page }), staleTime: 0 })
      const records = orderOf(model, plan, read)
      const here = records.ids.indexOf(id)
      const next = here === -1 ? records.ids.at(by === 1 ? 0 : -1) : records.ids[here + by]
      if (next !== undefined) return open(next, records)
      if (by === 1 && !read.has_next) return false
      page = Math.min(page + by, Math.max(read.total_pages, 1))
    }
    return false
  }
  return { place: start + index, total, go }
}
