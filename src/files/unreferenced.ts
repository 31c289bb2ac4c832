import { FILE_TABLE } from '../model/files.ts'
import type { KeptBlob } from '../store/blobs/blob-store.ts'
import type { Store } from '../store/store.ts'

/** Bytes without a row that are younger may belong to an upload that is under way. In milliseconds. */
export const UNREFERENCED_MS = 24 * 3_600_000

/** Maximum number of hashes that are looked up together, so that requests do not wait long. */
export const HASHES_AT_ONCE = 500

/** The kept hashes, at most `HASHES_AT_ONCE`, that no row of the registry names. */
export async function withoutRows(store: Pick<Store, 'aggregate'>, blobs: readonly KeptBlob[]): Promise<readonly KeptBlob[]> {
  if (blobs.length === 0) return []
  const groups = await store.aggregate(FILE_TABLE, {
    filters: [{ field: 'sha256', operator: 'in', values: blobs.map(({ sha256 }) => sha256) }],
    groupBy: ['sha256'],
    sums: [],
    ranges: [],
    limit: blobs.length,
  })
  // There are no more groups than hashes.
  if (groups === undefined) throw new Error('The rows of files could not be counted')
  const named = new Set(groups.map(({ key }) => String(key[0])))
  return blobs.filter(({ sha256 }) => !named.has(sha256))
}
