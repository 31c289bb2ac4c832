import { ACTIONS, type Actor, ALL_SCOPE, ANONYMOUS, forbidden, inScope, isPermitted, SYSTEM } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { matcher } from '../query/match.ts'
import { type Filter, isFieldFilter, isRelationFilter, type Plan, relatedTables, type SortKey } from '../query/plan.ts'
import type { RecordProjection } from '../query/project.ts'
import { type ReadOptions, type RecordReader, type Store, type StoredRecord, versionOf } from '../store/store.ts'
import { ruleSubject } from '../validate/rules.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import type { Bound, Condition, Subject } from './condition.ts'
import { savedViewBound, savedViewRights } from './saved-view-access.ts'

/** The compiled access of one action. */
export type AccessRule =
  | { readonly kind: 'public' }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'superuser' }
  | { readonly kind: 'permission'; readonly codename: string }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'condition'; readonly condition: Condition }

/** The rules of models, by key and by the name of the action. Actions without a rule need permissions. */
export type RulesByModel = ReadonlyMap<string, Readonly<Record<string, AccessRule>>>

/** Decides what actors may do with the records of models. What an actor may not see is as if it did not exist. */
export class AccessRules {
  readonly registry: Registry
  readonly #rules: RulesByModel
  /** True if a rule is a condition, so that the fields of users count. */
  readonly #hasConditions: boolean

  constructor(registry: Registry, rules: RulesByModel) {
    this.registry = registry
    this.#rules = rules
    this.#hasConditions = [...rules.values()].some((each) => Object.values(each).some(({ kind }) => kind === 'condition'))
  }

  /**
   * Everything that decides what an actor may see, as text: all that `#decide` reads. Actors with equal rights are answered alike,
   * so what was prepared for one of them serves the others.
   *
   * @param model the model of the query
   */
  rightsOf(actor: Actor, model: Model): string {
    const { isSuperuser, userId, permissions, groups, user, key } = actor
    if (key !== undefined && !key.scopes.has(ALL_SCOPE)) return `${key.scopeText} ${this.rightsOf(key.owner, model)}`
    if (isSuperuser) return 'superuser'
    const fields = this.#hasConditions && user !== undefined ? [userId, versionOf(user as StoredRecord)] : []
    const views = this.#reachesSavedViews(model) ? [savedViewRights(actor)] : []
    return JSON.stringify([userId !== undefined, [...permissions], [...groups], ...fields, ...views])
  }

  /** True if a query of a model may read saved views, whose access depends on the user. */
  #reachesSavedViews(model: Model): boolean {
    return model.key === SAVED_VIEWS || [...model.relations.values()].some(({ relation }) => relation.target === SAVED_VIEWS)
  }

  /** True if no model of the project has a rule. */
  get isEmpty(): boolean {
    return this.#rules.size === 0
  }

  /** True if requests without a token may do anything. */
  get isPublic(): boolean {
    return [...this.#rules].some(([key, rules]) =>
      ACTIONS.some((action) => rules[action] !== undefined && this.may(ANONYMOUS, action, this.registry.expect(key))),
    )
  }

  /**
   * Looks up the model that a request names and checks that the actor may perform the action on some of its records.
   *
   * @param action undefined for any
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN; UNAUTHENTICATED for a request without a token
   */
  modelFor(actor: Actor, action: string | undefined, key: string): Model {
    const model = this.registry.get(key)
    const isKnown = model !== undefined && (!model.internal || actor === SYSTEM)
    if (isKnown && (action === undefined || this.may(actor, action, model))) return model
    if (isKnown || actor === ANONYMOUS) throw forbidden(actor)
    throw new AppError('MODEL_NOT_FOUND', `Model '${key}' does not exist`)
  }

  /** Decides whether an actor may perform an action on some records of a model. */
  may(actor: Actor, action: string, model: Model): boolean {
    return this.#decide(actor, action, model) !== false
  }

  /** The records of a model that an action is restricted to; undefined for all of them. */
  only(actor: Actor, action: string, model: Model): Filter | undefined {
    return filterOf(this.#decide(actor, action, model))
  }

  /** The records for which a condition is true, for an actor; undefined for all of them. */
  matching(actor: Actor, condition: Condition): Filter | undefined {
    return filterOf(condition.for(this.#subject(actor)))
  }

  /**
   * The records that exist for an actor who acts on them; undefined for all of them. Permissions do not hide records, so that a user
   * with the permission to change records and without that to view them may do so.
   */
  visible(actor: Actor, model: Model): Filter | undefined {
    return !this.hasRule('view', model) && model.key !== SAVED_VIEWS ? undefined : this.only(actor, 'view', model)
  }

  /** Reads records by id; undefined where none exists for the actor. */
  read(
    store: RecordReader,
    actor: Actor,
    model: Model,
    ids: readonly number[],
    options?: ReadOptions,
  ): Promise<readonly (StoredRecord | undefined)[]> {
    const only = this.visible(actor, model)
    if (only === undefined) return store.get(model.key, ids, options)
    return matching(store, model, ids, only).then((found) => found.map((record) => record ?? undefined))
  }

  /** Reads records by id: undefined where none exists, null where the actor may not view it, if it exists. */
  shown(store: Store, actor: Actor, model: Model, ids: readonly number[]): Promise<readonly (StoredRecord | null | undefined)[]> {
    const only = this.visible(actor, model)
    return only === undefined ? store.get(model.key, ids) : matching(store, model, ids, only)
  }

  /** Those of some records, by id, that an actor may perform an action on. */
  async allowed(
    store: RecordReader,
    actor: Actor,
    action: string,
    model: Model,
    ids: readonly number[],
  ): Promise<ReadonlySet<number>> {
    if (!this.may(actor, action, model) || ids.length === 0) return new Set()
    const only = this.only(actor, action, model)
    if (only === undefined) return new Set(ids)
    const found = await matching(store, model, ids, only)
    return new Set(found.flatMap((record) => record?.id ?? []))
  }

  /** True if an action on a model has a rule of the project, so that permissions for it have no effect. */
  hasRule(action: string, model: Model): boolean {
    return this.#ruleOf(action, model) !== undefined
  }

  #ruleOf(action: string, { key }: Model): AccessRule | undefined {
    const rules = this.#rules.get(key)
    return rules !== undefined && Object.hasOwn(rules, action) ? rules[action] : undefined
  }

  /**
   * Restricts a query to the records that an actor may view, also where it goes through relations. Returns the same object if nothing
   * is hidden. A query through a relation to a model that the actor may not view is refused, since the matches and their order would
   * reveal the content.
   *
   * @throws {AppError} FORBIDDEN
   */
  restricted<P extends Pick<Plan, 'filters' | 'sort'>>(actor: Actor, model: Model, plan: P): P {
    if (actor.isSuperuser) return plan
    for (const target of relatedTables(plan)) if (!this.may(actor, 'view', this.registry.expect(target))) throw forbidden(actor)
    if (this.isEmpty && !this.#reachesSavedViews(model)) return plan
    const own = this.only(actor, 'view', model)
    const filters = plan.filters.map((filter) => this.#within(actor, filter))
    const sort = plan.sort.map((key) => this.#sortWithin(actor, key))
    const isWhole = (before: readonly unknown[], after: readonly unknown[]) =>
      before.every((each, index) => each === after[index])
    if (own === undefined && isWhole(plan.filters, filters) && isWhole(plan.sort, sort)) return plan
    return { ...plan, filters: own === undefined ? filters : [...filters, own], sort }
  }

  /**
   * Reduces a projection to what the actor may see. Records of a model that the actor may not view are nested by id only, which
   * the foreign key contains anyway.
   *
   * @throws {AppError} FORBIDDEN if `fields` or `include` names such a model
   */
  visibleTo(actor: Actor, projection: RecordProjection): RecordProjection {
    if (actor.isSuperuser) return projection
    return projection.map((column) => {
      const shown = column.kind === 'related' ? column.target : 'relation' in column ? column.relation.model : undefined
      if (shown === undefined || this.may(actor, 'view', shown)) return column
      if (column.kind !== 'related' || column.included) throw forbidden(actor)
      return { kind: 'reference', name: column.name, field: column.field }
    })
  }

  #within(actor: Actor, filter: Filter): Filter {
    if (isFieldFilter(filter)) return filter
    if (isRelationFilter(filter)) {
      const inner = this.#within(actor, filter.filter)
      const only = this.only(actor, 'view', this.registry.expect(filter.target))
      if (only === undefined) return inner === filter.filter ? filter : { ...filter, filter: inner }
      return { ...filter, filter: { all: [inner, only] } }
    }
    if ('not' in filter) {
      const inner = this.#within(actor, filter.not)
      return inner === filter.not ? filter : { not: inner }
    }
    const parts = 'any' in filter ? filter.any : filter.all
    const narrowed = parts.map((each) => this.#within(actor, each))
    if (narrowed.every((each, index) => each === parts[index])) return filter
    return 'any' in filter ? { any: narrowed } : { all: narrowed }
  }

  #sortWithin(actor: Actor, key: SortKey): SortKey {
    const only = key.through === undefined ? undefined : this.only(actor, 'view', this.registry.expect(key.through.target))
    return key.through === undefined || only === undefined ? key : { ...key, through: { ...key.through, only } }
  }

  #decide(actor: Actor, action: string, model: Model): Bound {
    const { key } = actor
    // The rules are those of the owner, who may need a permission or group that the scopes do not name.
    if (key !== undefined) return inScope(key, action, model) && this.#decide(key.owner, action, model)
    if (actor.isSuperuser) return true
    if (model.key === SAVED_VIEWS) return savedViewBound(actor, action)
    const rule = this.#ruleOf(action, model)
    if (rule === undefined) return isPermitted(actor, action, model)
    switch (rule.kind) {
      case 'public':
        return true
      case 'authenticated':
        return actor.userId !== undefined
      case 'superuser':
        return false
      case 'permission':
        return actor.permissions.has(rule.codename)
      case 'group':
        return actor.groups.has(rule.group)
      case 'condition':
        return rule.condition.for(this.#subject(actor))
      default:
        return rule satisfies never
    }
  }

  #subject({ user, groups }: Actor): Subject {
    if (user === undefined) return null
    const model = this.registry.expect('user')
    const fields = Object.entries(ruleSubject(model, user)).filter(([name]) => !model.secrets.includes(name))
    return { ...Object.fromEntries(fields), groups: [...groups] }
  }
}

/** The filter of a decision; undefined for all records. */
function filterOf(bound: Bound): Filter | undefined {
  if (typeof bound !== 'boolean') return bound
  return bound ? undefined : { any: [] }
}

/** The records with these ids, null where none of them matches. */
async function matching(
  store: RecordReader,
  model: Model,
  ids: readonly number[],
  only: Filter,
): Promise<readonly (StoredRecord | null)[]> {
  const found = new Map<number, StoredRecord>()
  const filters: Filter[] = [{ field: 'id', operator: 'in', values: ids }, only]
  for await (const records of store.stream(model.key, { filters, sort: [] })) {
    for (const record of records) found.set(record.id, record)
  }
  return ids.map((id) => found.get(id) ?? null)
}

/** Decides whether a record, stored or not, matches a filter. Related records are read from the store. */
export async function matchesRecord(store: Store, filter: Filter, record: StoredRecord): Promise<boolean> {
  if (isFieldFilter(filter)) return matcher(filter, () => () => false)(record)
  if (isRelationFilter(filter)) {
    const ids = [record[filter.field] ?? []].flat().map(Number)
    for (const related of await store.get(filter.target, ids)) {
      if (related !== undefined && (await matchesRecord(store, filter.filter, related))) return true
    }
    return false
  }
  if ('not' in filter) return !(await matchesRecord(store, filter.not, record))
  const isAny = 'any' in filter
  for (const part of isAny ? filter.any : filter.all) {
    if ((await matchesRecord(store, part, record)) === isAny) return isAny
  }
  return !isAny
}
