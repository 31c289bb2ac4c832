import { type Actor, may } from '../../auth/permissions.ts'
import type { Registry } from '../../model/registry.ts'
import { type Filter, isRelationFilter } from '../../query/plan.ts'
import type { Column, Projection } from '../../query/project.ts'
import { forbidden } from '../model-access.ts'

type RelatedColumn = Extract<Column, { kind: 'related' }>

/**
 * What of a projection an actor may see: records of a model that they may not view are nested by their ids alone, which the
 * foreign key says anyway. The same projection when that is all of it.
 *
 * @throws {AppError} FORBIDDEN when the request names such a model's fields in `include`
 */
export function visibleTo(actor: Actor, projection: Projection): Projection {
  if (actor.isSuperuser || !projection.some((column) => isHidden(actor, column))) return projection
  const hidden = projection.filter((column) => isHidden(actor, column))
  if (hidden.some(({ included }) => included)) throw forbidden()
  const known = remainders.get(projection) ?? new Map<string, Projection>()
  remainders.set(projection, known)
  const names = hidden.map(({ name }) => name).join()
  const remainder = known.get(names) ?? without(hidden, projection)
  known.set(names, remainder)
  return remainder
}

/** What is left of projections, by what is hidden; the same for everybody who may see as much, so that it can be recognised. */
const remainders = new WeakMap<Projection, Map<string, Projection>>()

const without = (hidden: readonly RelatedColumn[], projection: Projection): Projection =>
  projection.map((column) => {
    const found = hidden.find((each) => each === column)
    return found === undefined ? column : { kind: 'reference', name: found.name, field: found.field }
  })

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

const isHidden = (actor: Actor, column: Column): column is RelatedColumn =>
  column.kind === 'related' && !may(actor, 'view', column.target)
