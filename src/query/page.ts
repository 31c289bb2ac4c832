/** The envelope of every list: one page of records and where it stands among all. */
export interface Page<T> {
  readonly data: readonly T[]
  readonly total: number
  readonly page: number
  readonly page_size: number
  readonly total_pages: number
  readonly has_next: boolean
  readonly has_prev: boolean
}

/** Which page of how many records. */
export interface PageRequest {
  /** From 1. */
  readonly page: number
  readonly pageSize: number
}

/** Records of a page when a request does not say. */
export const DEFAULT_PAGE_SIZE = 20
/** Most records of a page. */
export const MAX_PAGE_SIZE = 100

/** Where a page lies in the whole result. */
export const sliceOf = ({ page, pageSize }: PageRequest): { offset: number; limit: number } => ({
  offset: (page - 1) * pageSize,
  limit: pageSize,
})

/** Puts records into the envelope. A page past the end is empty and has a previous page, unless nothing matched at all. */
export function pageOf<T>(data: readonly T[], total: number, { page, pageSize }: PageRequest): Page<T> {
  const totalPages = Math.ceil(total / pageSize)
  return {
    data,
    total,
    page,
    page_size: pageSize,
    total_pages: totalPages,
    has_next: page < totalPages,
    has_prev: page > 1 && totalPages > 0,
  }
}
