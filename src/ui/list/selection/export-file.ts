import type { FileFormat } from '../../../client/client.ts'
import type { PageSession } from '../../session/page-session.ts'
import type { Matches, Selection } from './selection.ts'

type Records = ReturnType<PageSession['client']['model']>

interface ExportRequest {
  readonly format: FileFormat
  readonly selection: Selection
  readonly matches: Matches
  readonly sort: readonly string[]
}

/** Maximum number of records that an export names by id: more would make the URL too long for the server. */
const MAX_IDS = 1000
const PAGE_SIZE = 100

/** More records were picked, or found by a search, than an export can name by id. */
export class TooManyRecords extends Error {
  readonly limit = MAX_IDS
}

/**
 * The selected records as a file.
 *
 * An export has filters, but no words to search for: records that a search has found are named by id.
 *
 * @throws {TooManyRecords} for more than 1,000 records by id
 * @throws {AdminError}
 */
export async function exportFile(records: Records, { format, selection, matches, sort }: ExportRequest): Promise<Blob> {
  const { allOf, ids } = selection
  const isFiltered = allOf !== undefined && matches.q === ''
  const named = async () => idFilter(allOf === undefined ? [...ids] : await foundIds(records, matches))
  const { filters, any } = isFiltered ? matches : { filters: [await named()], any: [] }
  const response = await records.export({ format, filters, any, sort })
  return response.blob()
}

function idFilter(ids: readonly number[]): string {
  if (ids.length > MAX_IDS) throw new TooManyRecords()
  return `id__in=${ids.join(',')}`
}

/** Ids of all records that a search finds. */
async function foundIds(records: Records, { q, filters, any }: Matches): Promise<readonly number[]> {
  const ids: number[] = []
  for (let page = 1; ; page += 1) {
    const { data, total, has_next } = await records.search(q, { filters, any, page, page_size: PAGE_SIZE })
    if (total > MAX_IDS) throw new TooManyRecords()
    ids.push(...data.map(({ id }) => id))
    if (!has_next) return ids
  }
}
