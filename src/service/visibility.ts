import { type Actor, may } from '../auth/permissions.ts'
import type { Registry } from '../model/registry.ts'
import { type Filter, isRelationFilter } from '../query/plan.ts'
import type { Column, Projection } from '../query/project.ts'
import { forbidden } from './lookup.ts'

/**
 * What of a projection an actor may see: records of a model that they may not view are nested by their ids alone, which the
 * foreign key says anyway. The same projection when that is all of it.
 *
 * @throws {AppError} FORBIDDEN when the request names such a model's fields in `include`
 */
export function visibleTo(actor: Actor, projection: Projection): Projection {
  if (actor.isSuperuser || !projection.some((column) => isHidden(actor, column))) return projection
  return projection.map((column): Column => {
    if (!isHidden(actor, column)) return column
    if (column.included) throw forbidden()
    return { kind: 'reference', name: column.name, field: column.field }
  })
}

/**
 * Keeps filters from telling of records what the actor may not view: how many match would say what is in them.
 *
 * @throws {AppError} FORBIDDEN
 */
export function checkFilters(registry: Registry, actor: Actor, filters: readonly Filter[]): void {
  if (actor.isSuperuser) return
  for (const filter of filters) {
    if (isRelationFilter(filter) && !may(actor, 'view', registry.expect(filter.target))) throw forbidden()
  }
}

const isHidden = (actor: Actor, column: Column): column is Extract<Column, { kind: 'related' }> =>
  column.kind === 'related' && !may(actor, 'view', column.target)
