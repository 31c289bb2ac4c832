import type { SiteField } from '../../../client/client.ts'
import { plainView } from '../../cells/plain-view.ts'
import type { FieldView, ListView } from '../../data/views.ts'

/** A field that a list is filtered by, with the title, labels and colours that the list view gives it. */
export interface FilterField {
  readonly field: SiteField
  readonly view: FieldView & { readonly title: string }
}

/**
 * A field as the filters of a list show it. Limits and narrowed choices of the view are left out, since records may have other values.
 *
 * @param list undefined for a field of a related model
 */
export function filterField(field: SiteField, list: ListView | undefined): FilterField {
  const view = list?.fields.find(({ name }) => name === field.name || name === field.relation?.name)
  const { labels, colors } = view?.options ?? {}
  const options = { ...(labels && { labels }), ...(colors && { colors }) }
  return { field, view: { ...plainView(field), title: view?.title ?? field.label, options } }
}
