import { MAX_NAMED } from '../../validate/issues.ts'
import type { Committer } from './committer.ts'
import { throwIssues } from './constraint-errors.ts'
import { type DraftedWrite, isUnreadable } from './drafts.ts'
import { byRow, type ImportContext, ImportDrafts, type ImportItem, type ImportRequest, isDivisible } from './import-drafts.ts'

/** Up to this number of rows, a file is written at once. Larger ones are written in parts, if the store takes them. */
const MAX_AT_ONCE = 10_000

/** Number of records that an import creates and updates. */
export interface ImportCounts {
  readonly created: number
  readonly updated: number
}

/**
 * Imports the rows of a file in one transaction.
 *
 * @param read reads the rows in batches; begins with the first row at each call
 * @throws {AppError} as `Committer.write`
 */
export async function importRecords(
  committer: Committer,
  context: ImportContext,
  read: () => AsyncIterable<readonly ImportItem[]>,
  options: ImportRequest,
): Promise<ImportCounts> {
  const { actor, model, key } = context
  let drafts = new ImportDrafts(context)
  const parts = async function* () {
    drafts = new ImportDrafts(context)
    for await (const rows of read()) yield await drafts.of(rows)
  }
  const write = { actor, model, prefix: byRow, options }
  const mayDivide = committer.writesInParts && isDivisible(model, key)
  let collected = await collect(parts(), mayDivide ? MAX_AT_ONCE : Number.POSITIVE_INFINITY)
  if (collected === undefined) await committer.writeInParts(write, parts)
  else {
    await committer.write(write, async () => {
      const writes = collected ?? (await collect(parts())) ?? []
      // Drafts of updates depend on stored records, which may have changed when they are asked for again.
      collected = key === undefined ? writes : undefined
      return writes
    })
  }
  return drafts.counts
}

/**
 * The drafts of all parts.
 *
 * @returns undefined if there are more than `max`
 * @throws {AppError} VALIDATION_FAILED once the number of errors exceeds the limit, and if a row could not be read
 */
async function collect(
  parts: AsyncIterable<readonly DraftedWrite[]>,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly DraftedWrite[] | undefined> {
  const all: DraftedWrite[] = []
  let faults = 0
  for await (const writes of parts) {
    all.push(...writes)
    for (const { draft } of writes) faults += draft.issues.size
    if (faults > MAX_NAMED) throwIssues(issuesOf(all), byRow)
    if (all.length > max) return undefined
  }
  if (all.some(isUnreadable)) throwIssues(issuesOf(all), byRow)
  return all
}

const issuesOf = (writes: readonly DraftedWrite[]) => writes.map(({ draft: { issues } }, index) => ({ index, issues }))
