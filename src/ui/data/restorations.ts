import { AdminError } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'

/** Requests that are under way at a time. */
const AT_ONCE = 4

/** Types of errors that say nothing about the record: others would meet them too. */
const ENDING = new Set(['network', 'authentication', 'rate_limit', 'unavailable', 'server'])

/** How the restoration of deleted records has ended. */
export interface Restoration {
  /** Number of the records that are there again. */
  readonly restored: number
  /** Why others are not, by id. */
  readonly refused: ReadonlyMap<number, unknown>
  /** The models of which records were restored or changed. */
  readonly models: ReadonlySet<string>
  /** What the history did not have, such as passwords. */
  readonly notices: readonly string[]
}

/**
 * Restores deleted records one by one, each with what its deletion took with it. A record that has come back with another one counts as
 * restored.
 *
 * @param onProgress called with the number of records that have been tried
 */
export async function restoreRecords(
  session: PageSession,
  key: string,
  ids: readonly number[],
  onProgress: (tried: number) => void,
): Promise<Restoration> {
  const { signal } = new AbortController()
  const refused = new Map<number, unknown>()
  const models = new Set([key])
  const notices = new Set<string>()
  let tried = 0
  let end: unknown
  const restore = async (id: number) => {
    try {
      if (end !== undefined) throw end
      // A restoration that is sent again finds the record restored.
      const restored = await session.read(signal, (client) => client.model(key).restore(id))
      for (const { model } of restored.consequences) models.add(model)
      for (const notice of restored.notices) notices.add(notice)
      refused.delete(id)
    } catch (error) {
      refused.set(id, error)
      if (!(error instanceof AdminError) || ENDING.has(error.type)) end = error
    }
  }
  await eachOf(ids, AT_ONCE, async (id) => {
    await restore(id)
    onProgress(++tried)
  })
  const hindered = [...refused].filter(([, error]) => error instanceof AdminError && error.type === 'conflict').map(([id]) => id)
  // Without an answer they count as refused.
  for (const id of await presentOf(session, signal, key, hindered).catch(() => [])) refused.delete(id)
  // Two restorations at once may have been in the way of each other.
  for (const id of hindered) if (refused.has(id)) await restore(id)
  return { restored: ids.length - refused.size, refused, models, notices: [...notices] }
}

/** Works on items, some at a time, in their order. */
async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Records of a page of a list. */
const PAGE = 100

/** Those of some records that are there. */
async function presentOf(
  session: PageSession,
  signal: AbortSignal,
  key: string,
  ids: readonly number[],
): Promise<readonly number[]> {
  const present: number[] = []
  for (let start = 0; start < ids.length; start += PAGE) {
    const query = { filters: { id__in: ids.slice(start, start + PAGE) }, fields: ['id'], page_size: PAGE }
    const { data } = await session.read(signal, (client) => client.model(key).list(query, { signal }))
    present.push(...data.map(({ id }) => id))
  }
  return present
}
