import type { SiteField, SiteModel } from '../../client/client.ts'
import { fieldOf } from '../data/site.ts'
import { type FieldView, type FormView, writableFields } from '../data/views.ts'

/** A field that many records can be given a value of, and the form that accepts it. */
export interface BulkField {
  readonly view: FieldView
  readonly field: SiteField
  readonly form: FormView
}

/**
 * The fields that the forms of a model accept from the user in an update, each by the first form that does; unique ones are left out.
 */
export function bulkFields(model: SiteModel, forms: readonly FormView[], isSuperuser: boolean): readonly BulkField[] {
  const fields = new Map<string, BulkField>()
  for (const form of forms) {
    if (form.use !== undefined && !form.use.includes('update')) continue
    for (const name of writableFields(form, 'update', model, isSuperuser)) {
      const view = form.fields.find((each) => each.name === name)
      const field = fieldOf(model, name)
      const isUnique = field?.unique === true || field?.type === 'one_to_one'
      if (view !== undefined && field !== undefined && !isUnique && !fields.has(name)) fields.set(name, { view, field, form })
    }
  }
  return [...fields.values()]
}
