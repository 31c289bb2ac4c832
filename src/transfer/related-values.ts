import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Field, RelationField } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Filter } from '../query/plan.ts'
import type { Store } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** Texts that name related records, in a cell. */
export interface RelatedTexts {
  readonly field: RelationField
  /** The field that the texts are values of; the display field of the related model when absent. */
  readonly by: Field | undefined
  readonly texts: readonly string[]
}

/** The ids of related records, or the reason why a text names none. */
type RelatedReading = { readonly ids: readonly number[] } | { readonly problem: string }

/** Finds related records by what people write for them, among those that the actor may view. */
export class RelatedLookup {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #actor: Actor

  constructor(access: AccessRules, store: Store, actor: Actor) {
    this.#access = access
    this.#store = store
    this.#actor = actor
  }

  /** Reads the cells of a batch of rows together. */
  async read(cells: readonly RelatedTexts[]): Promise<readonly RelatedReading[]> {
    const wanted = new Map<string, { target: Model; by: Field; texts: Set<string> }>()
    for (const cell of cells) {
      const { target, by } = this.#named(cell)
      const key = `${target.key}.${by.name}`
      const group = wanted.get(key) ?? { target, by, texts: new Set<string>() }
      for (const text of cell.texts) group.texts.add(text)
      wanted.set(key, group)
    }
    const found = new Map<string, ReadonlyMap<string, readonly number[]>>()
    for (const [key, { target, by, texts }] of wanted) found.set(key, await this.#idsOf(target, by, [...texts]))
    return cells.map((cell) => {
      const { target, by } = this.#named(cell)
      return readingOf(cell, target, by, found.get(`${target.key}.${by.name}`) ?? new Map())
    })
  }

  #named({ field, by }: RelatedTexts): { target: Model; by: Field } {
    const target = this.#access.registry.expect(field.relation.target)
    return { target, by: by ?? target.fields.get(target.displayField) ?? field }
  }

  /** The ids of the records with these texts in a field: at most two each, which says that a text is ambiguous. */
  async #idsOf(target: Model, by: Field, texts: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    const ids = new Map<string, number[]>()
    if (by.name === 'id' || !target.fields.has(by.name) || !this.#access.may(this.#actor, 'view', target)) return ids
    const textsOf = new Map<Json, string[]>()
    for (const text of texts) {
      const reading = by.type.parse(text)
      if (reading.ok) textsOf.set(reading.value, [...(textsOf.get(reading.value) ?? []), text])
    }
    if (textsOf.size === 0) return ids
    const only = this.#access.only(this.#actor, 'view', target)
    const filters: Filter[] = [
      { field: by.name, operator: 'in', values: [...textsOf.keys()] },
      ...(only === undefined ? [] : [only]),
    ]
    for await (const records of this.#store.stream(target.key, { filters, sort: [] })) {
      for (const record of records) {
        for (const text of textsOf.get(record[by.name] ?? null) ?? []) {
          const known = ids.get(text) ?? []
          if (known.length < 2) ids.set(text, [...known, record.id])
        }
      }
    }
    return ids
  }
}

/** An id, as lists and exports write it where a record has no name. */
const ID = /^#?(\d{1,15})$/

function readingOf(
  { field, by: named, texts }: RelatedTexts,
  target: Model,
  by: Field,
  found: ReadonlyMap<string, readonly number[]>,
): RelatedReading {
  const ids: number[] = []
  for (const text of texts) {
    const matches = found.get(text) ?? []
    const id = ID.exec(text)?.[1]
    // A column that is mapped to another field holds no ids.
    const meant = new Set([...matches, ...(id === undefined || (named !== undefined && named.name !== 'id') ? [] : [Number(id)])])
    const [only] = meant
    if (only === undefined) return { problem: `${field.name} refers to no ${target.key}: none has the ${by.name} '${text}'` }
    if (meant.size > 1) {
      const others = `${field.name} is ambiguous: several records of ${target.key} may be meant by '${text}'`
      return { problem: `${others}; map the column to a unique field, such as ${field.name}.id` }
    }
    ids.push(only)
  }
  return { ids }
}
