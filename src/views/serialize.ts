import type { Json } from '../util/json.ts'
import type { FormFieldDefinition, ViewDefinition } from './definition.ts'

/** A view as the Views API returns it: with all flags, without rules. */
export function serializeView(view: ViewDefinition): Record<string, Json> {
  const { name, view_type, model } = view
  const served: Record<string, Json> = { name, view_type, model, fields: view.fields.map(serializeField) }
  if (view.view_type === 'form') {
    if (view.creation_fields !== undefined) served.creation_fields = view.creation_fields
    if (view.allowed_update_fields !== undefined) served.allowed_update_fields = view.allowed_update_fields
    if (view.use !== undefined) served.use = view.use
    if (view.groups !== undefined) served.groups = view.groups.map((group) => ({ ...group }))
  } else {
    if (view.sort !== undefined) served.sort = view.sort.map(({ field, order = 'asc' }) => ({ field, order }))
    if (view.page_size !== undefined) served.page_size = view.page_size
    if (view.filters !== undefined) served.filters = view.filters
    if (view.inline_form !== undefined) served.inline_form = view.inline_form
  }
  return served
}

function serializeField(field: FormFieldDefinition): Record<string, Json> {
  const { required = false, readonly = false, disabled = false, is_primary_key = false, ...set } = field
  return { ...set, required, readonly, disabled, is_primary_key }
}
