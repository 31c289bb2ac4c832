import { FILE_TABLE } from '../model/files.ts'
import type { Registry } from '../model/registry.ts'
import type { Store } from '../store/store.ts'

/** The files of a model: those of records, and uploads that wait. */
export interface FileTotal {
  readonly model: string
  readonly files: number
  /** The sum of their sizes. Places with the same bytes count each, although these are kept once. */
  readonly bytes: number
}

/** Files and bytes of each model with fields of files, for `/metrics`. */
export async function fileTotals(store: Store, { withFiles }: Registry): Promise<readonly FileTotal[]> {
  if (withFiles.length === 0) return []
  const plan = {
    filters: [{ field: 'released_at', operator: 'isnull', value: true }],
    groupBy: ['model'],
    sums: ['size'],
    ranges: [],
    // Rows of removed models make groups, too.
    limit: 10_000,
  } as const
  const groups = (await store.aggregate(FILE_TABLE, plan)) ?? []
  const byModel = new Map(groups.map((group) => [group.key[0], group]))
  return withFiles.map(({ key }) => {
    const group = byModel.get(key)
    return { model: key, files: group?.count ?? 0, bytes: Number(group?.sums[0]?.sum ?? 0) }
  })
}
