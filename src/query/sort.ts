import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { orderingOf, unknownField, visible } from './filters.ts'
import type { Parameters } from './parameters.ts'
import type { SortKey } from './plan.ts'

type Target = Omit<SortKey, 'order'>

/**
 * Parses `sort_by` and `sort_order`: one order for each field, one for all, or none for ascending. A field of the record that a
 * foreign key refers to is written `author.username`.
 */
export function parseSort(parameters: Parameters, model: Model, registry: Registry): SortKey[] {
  const fields = parameters.names('sort_by') ?? []
  const orders = parameters.names('sort_order') ?? []
  for (const order of orders) {
    if (order !== 'asc' && order !== 'desc') parameters.fault('sort_order', `'sort_order' must be asc or desc, not '${order}'`)
  }
  for (const name of repeated(fields)) {
    parameters.fault('sort_by', `'${name}' is named more than once in sort_by`)
  }
  if (orders.length > 1 && orders.length !== fields.length) {
    parameters.fault('sort_order', `'sort_order' names ${orders.length} orders for ${fields.length} fields in sort_by`)
  } else if (orders.length > 0 && fields.length === 0) {
    parameters.fault('sort_order', `'sort_order' needs 'sort_by'`)
  }
  return fields.flatMap((name, index): SortKey[] => {
    const target = sortTarget(name, model, registry)
    if (typeof target !== 'function') return [{ ...target, order: (orders[index] ?? orders[0]) === 'desc' ? 'desc' : 'asc' }]
    parameters.fault('sort_by', target)
    return []
  })
}

/** The names that occur more than once. */
function repeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.size === seen.add(name).size))
}

/** Makes an error message. */
type Problem = () => string

/**
 * Resolves the name of a field to sort by.
 *
 * @returns the field, or a function that makes the error message
 */
export const sortTarget = (name: string, model: Model, registry: Registry): Target | Problem =>
  name.includes('.') ? parseRelated(name, model, registry) : (likeFilter(name, model, registry) ?? parseField(name, model))

/** @returns the problem of a name such as `author__username`, as filters have it; undefined for any other name */
function likeFilter(name: string, model: Model, registry: Registry): Problem | undefined {
  const [relation = '', field = '', ...rest] = name.split('__')
  if (field === '' || rest.length > 0 || visible(model, name) !== undefined || !model.relations.has(relation)) return undefined
  const path = `${relation}.${field}`
  const target = parseRelated(path, model, registry)
  return typeof target === 'function' ? target : () => `Unknown field '${name}'; did you mean '${path}'?`
}

function parseField(name: string, model: Model): Target | Problem {
  const field = visible(model, name)
  if (field?.type.sortable === true) return { field: name, ...orderingOf(field) }
  return () =>
    field === undefined ? unknownField(model, name) : `A ${field.type.name} field such as '${name}' cannot be sorted by`
}

/** Resolves a field of the related record. */
function parseRelated(path: string, model: Model, registry: Registry): Target | Problem {
  const [name = '', fieldName = '', ...rest] = path.split('.')
  const field = model.relations.get(name)
  if (field === undefined) {
    const known = [...model.relations.values()].filter(({ relation }) => relation.kind === 'one')
    const names = known.map(({ relation }) => relation.name)
    return () => `Unknown relation '${name}' in '${path}'${meantOrKnown(name, names)}`
  }
  if (field.relation.kind === 'many') return () => `'${path}' refers to many records and cannot be sorted by`
  if (rest.length > 0) return () => `'${path}' goes further than one relation`
  const { target } = field.relation
  const found = parseField(fieldName, registry.expect(target))
  return typeof found === 'function' ? found : { ...found, through: { field: field.name, target } }
}
