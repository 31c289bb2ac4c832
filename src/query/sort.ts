import type { Model } from '../model/model.ts'
import { unknownField, visible } from './filters.ts'
import type { Parameters } from './parameters.ts'
import type { SortKey } from './plan.ts'

/** Parses `sort_by` and `sort_order`: one order for each field, one for all, or none for ascending. */
export function parseSort(parameters: Parameters, model: Model): SortKey[] {
  const fields = parameters.names('sort_by') ?? []
  const orders = parameters.names('sort_order') ?? []
  for (const order of orders) {
    if (order !== 'asc' && order !== 'desc') parameters.fault('sort_order', `'sort_order' must be asc or desc, not '${order}'`)
  }
  for (const name of new Set(fields.filter((each, index) => fields.indexOf(each) !== index))) {
    parameters.fault('sort_by', `'${name}' is named more than once in sort_by`)
  }
  if (orders.length > 1 && orders.length !== fields.length) {
    parameters.fault('sort_order', `'sort_order' names ${orders.length} orders for ${fields.length} fields in sort_by`)
  } else if (orders.length > 0 && fields.length === 0) {
    parameters.fault('sort_order', `'sort_order' needs 'sort_by'`)
  }
  return fields.flatMap((name, index): SortKey[] => {
    const field = visible(model, name)
    if (field?.type.sortable === true) return [{ field: name, order: (orders[index] ?? orders[0]) === 'desc' ? 'desc' : 'asc' }]
    parameters.fault(
      'sort_by',
      field === undefined ? unknownField(model, name) : `A ${field.type.name} field such as '${name}' cannot be sorted by`,
    )
    return []
  })
}
