import type { SiteField, SiteModel } from '../../client/client.ts'
import { fieldOf } from '../data/site.ts'
import { type FieldView, type FormView, writableFields } from '../data/views.ts'
import { takesFiles } from '../widgets/file-fields.ts'
import type { ApiFilters } from './filter-text.ts'

/** Records of a list that the user has selected. */
export interface ListSelection {
  readonly ids: ReadonlySet<number>
  /** The number of all matches, if the user has selected all of them over all pages. */
  readonly allOf: number | undefined
  /** The record that was selected last; a range starts there. */
  readonly anchor: number | undefined
}

export const NO_SELECTION: ListSelection = { ids: new Set(), allOf: undefined, anchor: undefined }

/** Number of selected records. */
export const selectedCount = ({ ids, allOf }: ListSelection): number => allOf ?? ids.size

export const isSelected = ({ ids, allOf }: ListSelection, id: number): boolean => allOf !== undefined || ids.has(id)

/**
 * Selects a record, or no longer.
 *
 * @param page ids of the records on the page, in order
 * @param isRange true if all records between the last one and this one get the same state
 */
export function toggled(selection: ListSelection, page: readonly number[], id: number, isRange: boolean): ListSelection {
  const ids = new Set(selection.allOf === undefined ? selection.ids : page)
  const isOn = !ids.has(id)
  for (const each of isRange ? between(page, selection.anchor ?? id, id) : [id]) {
    if (isOn) ids.add(each)
    else ids.delete(each)
  }
  return { ids, allOf: undefined, anchor: id }
}

/** Selects all records of a page, or none of them if all are selected. */
export function toggledPage(selection: ListSelection, page: readonly number[]): ListSelection {
  const isFull = page.every((id) => isSelected(selection, id))
  const ids = new Set(selection.allOf === undefined ? selection.ids : [])
  for (const id of page) {
    if (isFull) ids.delete(id)
    else ids.add(id)
  }
  return { ids, allOf: undefined, anchor: undefined }
}

/** Selects all matches over all pages. */
export const allSelected = (total: number): ListSelection => ({ ...NO_SELECTION, allOf: total })

function between(page: readonly number[], from: number, to: number): readonly number[] {
  const [first, last] = [page.indexOf(from), page.indexOf(to)].sort((one, other) => one - other)
  return first === undefined || last === undefined || first < 0 ? [to] : page.slice(first, last + 1)
}

/** Words and filters that select the records of a list. */
export interface Matches extends ApiFilters {
  readonly q: string
}

/** The filters of a bulk operation on the selected records, and the number that must match. */
export function bulkSelection(selection: ListSelection, { q, filters, any }: Matches) {
  const { ids, allOf } = selection
  if (allOf === undefined) return { filters: [`id__in=${[...ids].join(',')}`], expectedTotal: ids.size }
  return { filters, expectedTotal: allOf, ...(any.length === 0 ? {} : { any }), ...(q === '' ? {} : { search: q }) }
}

/** Names of the fields that lists edit in their cells: those that a form accepts from the user but files, which have no room there. */
export const editableFields = (form: FormView, model: SiteModel, isSuperuser: boolean): readonly string[] =>
  writableFields(form, 'update', model, isSuperuser).filter((name) => {
    const field = fieldOf(model, name)
    return field !== undefined && !takesFiles(field)
  })

/** A field that many records can be given a value of, and the form that accepts it. */
export interface BulkField {
  readonly view: FieldView
  readonly field: SiteField
  readonly form: FormView
}

/**
 * The fields that the forms of a model accept from the user in an update, each by the first form that does; unique ones and files are left out.
 */
export function bulkFields(model: SiteModel, forms: readonly FormView[], isSuperuser: boolean): readonly BulkField[] {
  const fields = new Map<string, BulkField>()
  for (const form of forms) {
    if (form.use !== undefined && !form.use.includes('update')) continue
    for (const name of writableFields(form, 'update', model, isSuperuser)) {
      const view = form.fields.find((each) => each.name === name)
      const field = fieldOf(model, name)
      const isUnique = field?.unique === true || field?.type === 'one_to_one'
      if (view !== undefined && field !== undefined && !isUnique && !takesFiles(field) && !fields.has(name))
        fields.set(name, { view, field, form })
    }
  }
  return [...fields.values()]
}
