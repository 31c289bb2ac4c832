import type { RelationField } from './field.ts'
import type { Model } from './model.ts'
import type { Registry } from './registry.ts'

/** The records of another model that refer to a record. */
export interface ReverseRelation {
  /** `comments`, or `comments_by_editor` if a model refers to this one by several fields. */
  readonly name: string
  /** The model that refers. */
  readonly model: Model
  /** The field by which it refers. */
  readonly field: RelationField
}

/** The relations to a model, by name. A relation whose name is that of a field of the model has none. */
export function reverseRelations(model: Model, registry: Registry): ReadonlyMap<string, ReverseRelation> {
  const free = namedReferrers(model, registry).filter(({ name }) => !model.fields.has(name) && !model.relations.has(name))
  return new Map(free.map((each) => [each.name, each]))
}

/** The relations to a model with their names, which are unique in a valid project. */
export function namedReferrers(model: Model, registry: Registry): ReverseRelation[] {
  const referrers = registry.referrersOf(model.key).filter((referrer) => !referrer.model.internal)
  return referrers.map(({ model: other, field }) => {
    const isAlone = referrers.filter((each) => each.model === other).length === 1
    const name = isAlone ? plural(other.key) : `${plural(other.key)}_by_${field.relation.name}`
    return { name, model: other, field }
  })
}

/** The regular plural of an English noun. */
function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`
}
