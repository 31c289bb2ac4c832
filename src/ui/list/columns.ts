import type { Site, SiteField, SiteModel } from '../../client/client.ts'
import { isNumeric } from '../cells/choices.ts'
import { viewableDisplay } from '../data/related.ts'
import { fieldOf, modelOf } from '../data/site.ts'
import type { FieldView, FormView, ListView } from '../data/views.ts'
import { filteredField } from './filter-text.ts'

/** A total of the numbers of a column, as the API names it. */
export type Total = 'sum' | 'avg'

/** A column of a list. */
export interface ListColumn {
  readonly name: string
  readonly label: string
  readonly field: SiteField
  /** The field in the list view; undefined for a column that the user has added. */
  readonly view: FieldView | undefined
}

/**
 * All columns that a list can have: those of the view in its order, then the other fields of the model.
 *
 * @param forms the forms of the model, whose titles the other fields have
 */
export function allColumns(model: SiteModel, view: ListView, forms: readonly FormView[]): readonly ListColumn[] {
  const titles = new Map(forms.toReversed().flatMap(({ fields }) => fields.map(({ name, title }) => [name, title])))
  const ofView = view.fields.flatMap((each) => {
    const field = fieldOf(model, each.name)
    return field === undefined ? [] : [{ name: each.name, label: each.title ?? field.label, field, view: each }]
  })
  const used = new Set(ofView.map(({ name }) => name))
  const others = model.fields
    .filter(({ name }) => !used.has(name))
    .map((field) => ({ name: field.name, label: titles.get(field.name) ?? field.label, field, view: undefined }))
  return [...ofView, ...others]
}

/** The columns to show: the chosen ones that exist, otherwise those of the view. */
export function shownColumns(all: readonly ListColumn[], chosen: readonly string[] | undefined): readonly ListColumn[] {
  const found = chosen?.flatMap((name) => all.find((column) => column.name === name) ?? []) ?? []
  if (found.length > 0) return found
  const ofView = all.filter(({ view }) => view !== undefined)
  return ofView.length > 0 ? ofView : all
}

/** The sort keys that the heads of columns show: none if the first key is that of a column which is not shown. */
export function shownSort(sort: readonly string[], columns: readonly ListColumn[]): readonly string[] {
  const isShown = (key = '') => columns.some(({ name }) => name === key.replace(/^-/, ''))
  return isShown(sort[0]) ? sort.filter(isShown) : []
}

/** The column whose cells link to the records: the one that names them, otherwise the first that is no id. */
export function linkColumn(columns: readonly ListColumn[], model: SiteModel): ListColumn | undefined {
  const plain = columns.filter(
    ({ field }) => field.relation === null && !['primarykey', 'url', 'email', 'json', 'file', 'image'].includes(field.type),
  )
  return columns.find(({ name }) => name === model.display_field) ?? plain[0] ?? columns[0]
}

/** The columns as the table has them: those that the user has pinned stand first. */
export const placedColumns = (columns: readonly ListColumn[], pinned: readonly string[] = []): readonly ListColumn[] => [
  ...columns.filter(({ name }) => pinned.includes(name)),
  ...columns.filter(({ name }) => !pinned.includes(name)),
]

/** The fields to request: only those that are shown, and the one that names the record. */
export const requestedFields = (columns: readonly ListColumn[], model: SiteModel): readonly string[] => [
  ...new Set([...columns.map(({ name }) => name), model.display_field]),
]

/**
 * The sort keys that a list can have, by column: the name of a related record is the column of its relation. Another field of a related
 * record keeps its path, such as `author.email`. Keys that the API would reject, and repeated ones, are left out.
 */
export function columnSort(site: Site, model: SiteModel, sort: readonly string[]): readonly string[] {
  const keys = sort.flatMap((key): [string, string][] => {
    const [, minus = '', name = ''] = /^(-?)(.*)$/.exec(key) ?? []
    const column = sortedColumn(site, model, name)
    return column === undefined ? [] : [[column, `${minus}${column}`]]
  })
  return keys.flatMap(([column, key], place) => (keys.findIndex(([each]) => each === column) === place ? [key] : []))
}

/** The column, or the path, that a list is sorted by; undefined if the API would reject it. */
function sortedColumn(site: Site, model: SiteModel, name: string): string | undefined {
  const [relation = '', of, ...rest] = name.split('.')
  if (of === undefined) {
    const field = fieldOf(model, name)
    return field?.sortable === true ? field.name : undefined
  }
  const through = model.fields.find((field) => field.relation?.name === relation)
  if (!through?.sortable || rest.length > 0 || pathField(site, model, name)?.field.sortable !== true) return undefined
  return viewableDisplay(site, through) === of ? through.name : name
}

/** The field of a related record that a path such as `author.email` leads to, with its label. */
export const pathField = (site: Site, model: SiteModel, path: string) => filteredField(site, model, path.replace('.', '__'))

/** The sort keys of the API for sort keys by column. Relations are sorted by the name of the related record, where the user may view it. */
export function apiSort(site: Site, model: SiteModel, sort: readonly string[]): readonly string[] {
  return columnSort(site, model, sort).map((key) => {
    const [, minus = '', name = ''] = /^(-?)(.*)$/.exec(key) ?? []
    const field = fieldOf(model, name)
    const display = field && viewableDisplay(site, field)
    const target = field?.relation && modelOf(site, field.relation.model)
    const isSortable = display !== undefined && target && fieldOf(target, display)?.sortable === true
    return isSortable ? `${minus}${field?.relation?.name}.${display}` : key
  })
}

/** The sort keys of a list view. */
export const viewSort = (view: ListView): readonly string[] =>
  (view.sort ?? []).map(({ field, order }) => (order === 'desc' ? `-${field}` : field))

/** The classes of the cells of a column. */
export const columnClass = ({ name, field }: ListColumn, pinned: readonly string[]): string | undefined =>
  [isNumeric(field) && 'number', pinned.includes(name) && 'list-sticky'].filter(Boolean).join(' ') || undefined
