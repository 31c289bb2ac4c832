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

/**
 * The envelope of every list, in JSON: one page of records and where it stands among all. A page past the end is empty and has
 * a previous page, unless nothing matched at all.
 *
 * @param data the records of the page, a JSON array
 * @param beside what else the envelope holds, as members of a JSON object
 */
export function pageJson(data: string, total: number, { page, pageSize }: PageRequest, beside = ''): string {
  const totalPages = Math.ceil(total / pageSize)
  const hasPrev = page > 1 && totalPages > 0
  const standing = `"total":${total},"page":${page},"page_size":${pageSize},"total_pages":${totalPages}`
  return `{"data":${data},${standing},"has_next":${page < totalPages},"has_prev":${hasPrev}${beside && `,${beside}`}}`
}
