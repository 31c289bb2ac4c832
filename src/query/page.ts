/** A requested page. */
export interface PageRequest {
  /** Counts from 1. */
  readonly page: number
  readonly pageSize: number
}

/** Default number of records on a page. */
export const DEFAULT_PAGE_SIZE = 20
/** Maximum number of records on a page. */
export const MAX_PAGE_SIZE = 100

/** Offset and limit of a page. */
export const sliceOf = ({ page, pageSize }: PageRequest): { offset: number; limit: number } => ({
  offset: (page - 1) * pageSize,
  limit: pageSize,
})

/**
 * Serialises the envelope of a list. A page past the end is empty and has a previous page, unless nothing matched.
 *
 * @param data the records of the page, a JSON array
 * @param beside further members of the envelope
 */
export function pageJson(data: string, total: number, { page, pageSize }: PageRequest, beside = ''): string {
  const totalPages = Math.ceil(total / pageSize)
  const hasPrev = page > 1 && totalPages > 0
  const standing = `"total":${total},"page":${page},"page_size":${pageSize},"total_pages":${totalPages}`
  return `{"data":${data},${standing},"has_next":${page < totalPages},"has_prev":${hasPrev}${beside && `,${beside}`}}`
}
