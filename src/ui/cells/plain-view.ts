import type { SiteField } from '../../client/client.ts'
import type { FieldView } from '../data/views.ts'

const views = new WeakMap<SiteField, FieldView>()

/** The field as a view without settings of its own would have it. The same object for the same field. */
export function plainView(field: SiteField): FieldView {
  const { name, label, type, required, readonly } = field
  const view = views.get(field) ?? {
    name,
    title: label,
    field_type: type,
    required,
    readonly,
    disabled: false,
    is_primary_key: type === 'primarykey',
  }
  views.set(field, view)
  return view
}

/** Schemes that a link may have; others, such as `javascript:`, could run code. */
const SAFE = /^(https?|mailto):/i

/** The address that a value links to; undefined if it must not be a link. */
export function linkOf(type: 'url' | 'email', value: string): string | undefined {
  const address = type === 'email' ? `mailto:${encodeURIComponent(value).replaceAll('%40', '@')}` : value
  return SAFE.test(address) && URL.canParse(address) ? address : undefined
}
