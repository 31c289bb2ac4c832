import { type Actor, forbidden } from '../auth/permissions.ts'
import { type Plan, relatedTables } from '../query/plan.ts'
import type { ProjectedColumn, RecordProjection } from '../query/project.ts'
import type { AccessRules } from './access-rules.ts'

type RelatedColumn = Extract<ProjectedColumn, { kind: 'related' }>

/**
 * Reduces a projection to what the actor may see. Records of a model that the actor may not view are nested by id only, which
 * the foreign key contains anyway. Returns the same object if nothing is hidden.
 *
 * @throws {AppError} FORBIDDEN if `fields` or `include` names such a model
 */
export function visibleTo(access: AccessRules, actor: Actor, projection: RecordProjection): RecordProjection {
  if (actor.isSuperuser) return projection
  const isHidden = (column: ProjectedColumn): column is RelatedColumn =>
    column.kind === 'related' && !access.may(actor, 'view', column.target)
  const isRefused = (column: ProjectedColumn) => 'relation' in column && !access.may(actor, 'view', column.relation.model)
  if (projection.some(isRefused)) throw forbidden(actor)
  if (!projection.some(isHidden)) return projection
  const hidden = projection.filter(isHidden)
  if (hidden.some(({ included }) => included)) throw forbidden(actor)
  const known = remainders.get(projection) ?? new Map<string, RecordProjection>()
  remainders.set(projection, known)
  const names = hidden.map(({ name }) => name).join()
  const remainder = known.get(names) ?? without(hidden, projection)
  known.set(names, remainder)
  return remainder
}

/** Reduced projections by the columns they hide. Equal reductions are one object, so that caches recognise them. */
const remainders = new WeakMap<RecordProjection, Map<string, RecordProjection>>()

const without = (hidden: readonly RelatedColumn[], projection: RecordProjection): RecordProjection =>
  projection.map((column) => {
    const found = hidden.find((each) => each === column)
    return found === undefined ? column : { kind: 'reference', name: found.name, field: found.field }
  })

/**
 * Rejects filters and sort orders through relations to models that the actor may not view: the matches and their order would
 * reveal the content.
 *
 * @throws {AppError} FORBIDDEN
 */
export function checkRelations(access: AccessRules, actor: Actor, plan: Pick<Plan, 'filters' | 'sort'>): void {
  if (actor.isSuperuser) return
  for (const target of relatedTables(plan)) if (!access.may(actor, 'view', access.registry.expect(target))) throw forbidden(actor)
}
