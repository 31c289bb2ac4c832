import { type Id, MAX_BULK_ITEMS, MAX_PAGE_SIZE, type ModelClient } from '../models/model-client.ts'
import type { CallOptions, Page, Projection } from '../types/calls.ts'
import type { AnyModel } from '../types/models.ts'

type AnyRecord = AnyModel['record']

/** Some records of a list, and the total number of records in it. */
export interface Slice {
  readonly data: AnyRecord[]
  readonly total: number
}

/** Fetches a page of any size, from as many pages of the server (at most 100 records each) as needed. */
export async function pageOf(
  fetchPage: (page: number, page_size: number) => Promise<Page<AnyRecord>>,
  page: number,
  size: number,
): Promise<Slice> {
  if (size <= MAX_PAGE_SIZE) return fetchPage(page, size)
  const start = (page - 1) * size
  const first = Math.floor(start / MAX_PAGE_SIZE)
  const data: AnyRecord[] = []
  for (let number = first; ; number += 1) {
    const next = await fetchPage(number + 1, MAX_PAGE_SIZE)
    data.push(...next.data)
    const skipped = start - first * MAX_PAGE_SIZE
    if (!next.has_next || data.length >= skipped + size) return { data: data.slice(skipped, skipped + size), total: next.total }
  }
}

/** Fetches records by id, 100 per request, in the order of the ids. Ids without a record are skipped. */
export async function recordsOf(
  model: ModelClient<AnyModel>,
  ids: readonly Id[],
  projection: Projection<string, string>,
  options: CallOptions,
): Promise<AnyRecord[]> {
  const found = new Map<string, AnyRecord>()
  for (const some of chunks([...new Set(ids)], MAX_PAGE_SIZE)) {
    const page = await model.list({ ...projection, filters: { id__in: some }, page_size: MAX_PAGE_SIZE }, options)
    for (const record of page.data) found.set(String(record.id), record)
  }
  return ids.flatMap((id) => found.get(String(id)) ?? [])
}

/** Runs bulk operations on up to 1,000 items each, one after the other. Each operation is all or none; all of them together are not. */
export async function inBulk<T, R>(items: readonly T[], work: (some: readonly T[]) => Promise<{ data: R[] }>): Promise<R[]> {
  const done: R[] = []
  for (const some of chunks(items, MAX_BULK_ITEMS)) done.push(...(await work(some)).data)
  return done
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
