import { queryOptions, skipToken } from '@tanstack/react-query'
import type { RelatedRows, Site, SiteModel } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'
import type { AnyRecord } from './records.ts'
import { requestedIncludes } from './related.ts'
import { fieldOf, may, modelOf } from './site.ts'

/** A record that a table of a form shows. */
export interface StoredRow {
  readonly record: AnyRecord
  readonly etag: string
  readonly can: readonly ('change' | 'delete')[]
}

/** The rows of a record, in the order of the view. */
export interface StoredRows {
  readonly rows: readonly StoredRow[]
  /** Number of all, of which the table may show the first. */
  readonly total: number
}

/** The model and the field that rows refer to their record by: `invoiceline.invoice_id`. */
export function relationOf({ field }: RelatedRows): { readonly key: string; readonly name: string } {
  const [key = '', name = ''] = field.split('.')
  return { key, name }
}

/** The most rows of a record that are copied with it: as many as a form may show at all. */
export const MAX_COPIED_ROWS = 500

/** The query of the rows of a record; it waits while the id is undefined. All pages are asked for at the same time. */
export const rowsQuery = (session: PageSession, site: Site, model: SiteModel, view: RelatedRows, id: number | undefined) =>
  queryOptions({
    queryKey: ['records', model.key, 'rows', view.field, view.limit, view.sort, id],
    queryFn:
      id === undefined
        ? skipToken
        : ({ signal }): Promise<StoredRows> => {
            const size = Math.min(view.limit, site.limits.page_size)
            const query = {
              filters: [`${relationOf(view).name}=${id}`],
              sort: sortKeys(site, model, view),
              fields: model.fields.map(({ name }) => name),
              include: requestedIncludes(site, model.fields),
              page_size: size,
              editing: true,
            }
            return session.read(signal, async (client) => {
              const numbers = Array.from({ length: Math.ceil(view.limit / size) }, (_, index) => index + 1)
              const pages = await Promise.all(numbers.map((page) => client.model(model.key).list({ ...query, page }, { signal })))
              const rows = pages.flatMap(({ data, etags = [], can = [] }) =>
                data.map((record, index) => ({ record, etag: etags[index] ?? '', can: can[index] ?? [] })),
              )
              return { rows: rows.slice(0, view.limit), total: pages[0]?.total ?? 0 }
            })
          },
  })

/** The query of the highest value that any row of a record has in a field, also one that the table does not show; it waits while the id is undefined. */
export const highestQuery = (session: PageSession, model: SiteModel, view: RelatedRows, name: string, id: number | undefined) =>
  queryOptions({
    queryKey: ['records', model.key, 'highest', view.field, name, id],
    queryFn:
      id === undefined
        ? skipToken
        : async ({ signal }): Promise<number> => {
            const query = { filters: [`${relationOf(view).name}=${id}`], sort: [`-${name}`], fields: [name], page_size: 1 }
            const { data } = await session.read(signal, (client) => client.model(model.key).list(query, { signal }))
            const value = data[0]?.[name]
            return typeof value === 'number' ? value : 0
          },
  })

/** The order of the rows as the API takes it, without keys that the user may not sort by. */
function sortKeys(site: Site, model: SiteModel, { sort = [] }: RelatedRows): readonly string[] {
  return sort.flatMap(({ field, order }) => {
    const [relation = '', of] = field.split('.')
    const through = of === undefined ? undefined : model.fields.find((each) => each.relation?.name === relation)
    const isKnown =
      of === undefined ? fieldOf(model, field)?.sortable === true : may(modelOf(site, through?.relation?.model ?? ''), 'view')
    return isKnown ? [order === 'desc' ? `-${field}` : field] : []
  })
}
