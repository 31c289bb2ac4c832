import { sortTarget } from '../../../query/sort.ts'
import { type LintRule, listExample } from '../../rule.ts'

/** A list whose `sort` the API would reject. */
export const viewSortUnsortable: LintRule = {
  id: 'view/sort-unsortable',
  severity: 'error',
  summary: 'A list is sorted by a field that the API cannot sort by',
  details: `The sort of a list is sent to the API as sort_by, which rejects unknown fields, lists such as many_to_many and multichoice, and json.
A field of the record that a foreign key refers to is written author.username. A field may be named once.`,
  invalid: [
    listExample('fields: [{ name: title }]\nsort: [{ field: »titel« }]\n'),
    listExample('fields: [{ name: title }]\nsort: [{ field: title }, { field: »tags«, order: desc }]\n'),
    listExample('fields: [{ name: title }]\nsort: [{ field: »author.name« }]\n'),
    listExample('fields: [{ name: title }]\nsort: [{ field: views }, { field: »views« }]\n'),
  ],
  valid: [
    listExample('fields: [{ name: title }]\nsort: [{ field: views, order: desc }, { field: author.username }]\n'),
    listExample('fields: [{ name: title }]\n'),
  ],
  view({ project, view, model, source }, report) {
    const sort = view.view_type === 'list' ? (view.sort ?? []) : []
    for (const [index, { field }] of sort.entries()) {
      // A key without a field is a fault of the shape of the view.
      if (typeof field !== 'string') continue
      const at = ['sort', index, 'field']
      const target = sortTarget(field, model, project.registry)
      if (typeof target === 'function') report(source, at, target())
      else if (sort.findIndex((each) => each.field === field) < index) report(source, at, `'${field}' is named twice; remove one`)
    }
  },
}
