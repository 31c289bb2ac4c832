import type { Site, SiteModel } from '../../../client/client.ts'
import { emptyTextFilters, filledTextFilter } from '../../../client/models/query.ts'
import { filteredField, isText, isUsable } from './filter-text.ts'

/** Filters as the API takes them: a record must match all of them, and one of each group. */
export interface ApiFilters {
  readonly filters: readonly string[]
  readonly any: readonly (readonly string[])[]
}

/**
 * The filters of a list's address that the user may use, for the API. In the address `__isnull` means "is empty", which a text without
 * characters is, too; for the API such a text is not null.
 */
export function apiFilters(site: Site, model: SiteModel, texts: readonly string[]): ApiFilters {
  const filters: string[] = []
  const any: (readonly string[])[] = []
  for (const text of texts.filter((each) => isUsable(site, model, each))) {
    const [, path, value] = /^(.+)__isnull=(true|false)$/s.exec(text) ?? []
    const field = path === undefined ? undefined : filteredField(site, model, path)?.field
    if (path === undefined || field === undefined || !isText(field)) filters.push(text)
    else if (value === 'true') any.push(emptyTextFilters(path))
    else filters.push(filledTextFilter(path))
  }
  return { filters, any }
}
