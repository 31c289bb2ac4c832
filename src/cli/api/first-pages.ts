import { InvalidArgumentError } from 'commander'
import type { Io } from '../terminal/io.ts'
import type { ApiClient } from './api-client.ts'
import { withRetries } from './retry-limit.ts'

/** Records that a command shows unless `--limit` is given. */
export const DEFAULT_LIMIT = 20

/** Maximum of `--limit`. */
export const MAX_LIMIT = 1000

/** Maximum page size of the API. */
const MAX_PAGE = 100

/** Parses `--limit`. @throws {InvalidArgumentError} unless it is a whole number from 1 to `MAX_LIMIT` */
export function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LIMIT) throw new InvalidArgumentError(`The limit is a whole number from 1 to ${MAX_LIMIT}.`)
  return limit
}

/**
 * Fetches the first pages of a list, until they hold `limit` records or there are no more.
 *
 * @param path below the API's root
 * @param query parameters without `page` and `page_size`
 * @returns at least one page; the last may exceed the limit
 */
export async function firstPages<Page extends { readonly has_next: boolean }>(
  io: Io,
  client: ApiClient,
  path: string,
  query: URLSearchParams,
  limit: number,
): Promise<readonly [Page, ...Page[]]> {
  const size = Math.min(limit, MAX_PAGE)
  const page = (number: number): Promise<Page> => {
    const parameters = new URLSearchParams([...query, ['page_size', String(size)], ['page', String(number)]])
    return withRetries(io, () => client.request('GET', `${path}?${parameters}`))
  }
  const pages: [Page, ...Page[]] = [await page(1)]
  while (pages.at(-1)?.has_next === true && pages.length * size < limit) pages.push(await page(pages.length + 1))
  return pages
}
