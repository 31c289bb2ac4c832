import type { RecordReader } from '../store/store.ts'
import { mapInSlices } from '../util/slices.ts'
import type { DraftedWrite, OpenDraft } from './drafts.ts'
import type { Complete, CompletedWrite, Completion, WriteContext } from './hooks.ts'

/** The write of an open draft, which code of the project completes. */
export const openWrite = (open: OpenDraft): DraftedWrite => {
  const { model, form, existing } = open
  return { model, form, open, draft: open.unfinished(), ...(existing === undefined ? {} : { existing }) }
}

/**
 * Completes open drafts by code of the project, which also learns of the deletions among them. If what the request sends is faulty, no code runs.
 *
 * @param reads what must be so when the write commits, beside what code reads
 */
export async function completed(
  complete: Complete,
  context: WriteContext,
  records: RecordReader,
  writes: readonly DraftedWrite[],
  reads: Completion['reads'] = [],
): Promise<readonly DraftedWrite[] | CompletedWrite> {
  const finished = () =>
    mapInSlices(writes, (write) => (write.open === undefined ? write : { ...write, draft: write.open.finish() }))
  if (writes.some(({ open }) => open?.isRefused === true)) return finished()
  const changes = writes.map(({ open, model, existing, id }) => ({ draft: open, model, existing, id }))
  const completion = await complete(context, changes, records)
  return { writes: await finished(), completion: { ...completion, reads: [...completion.reads, ...reads] } }
}
