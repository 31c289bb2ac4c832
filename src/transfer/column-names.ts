import { type Field, isRelation } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { FieldViewDefinition } from '../views/definition.ts'
import { generatedTitle } from '../views/generate.ts'
import type { Views } from '../views/views.ts'

/** What a column is read as: a field, and for a relation maybe the field by which related records are named. */
export interface ColumnTarget {
  readonly field: Field
  readonly by?: Field
}

/** The views of a model's fields. */
export const viewedFields = (views: Views, model: Model): readonly FieldViewDefinition[] =>
  views.all.filter(({ modelKey }) => modelKey === model.key).flatMap<FieldViewDefinition>(({ view }) => view.fields)

/** Fields that a related record may be named by. */
export const namingFields = (target: Model): readonly Field[] =>
  target.visibleFields.filter(
    (field) => !field.type.secret && !field.type.list && (field.unique || field.name === target.displayField),
  )

/** A text without case, spaces and signs. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Finds the field that a column of a file means, by its name, its label or a title in a view, written with other case, spaces and signs.
 * What two fields share names neither. `Patient E-mail` is the relation Patient by its field E-mail.
 */
export class ColumnNames {
  readonly #targets = new Map<string, ColumnTarget>()

  constructor(model: Model, registry: Registry, views: Views) {
    const label = (field: Field) => field.label ?? generatedTitle(field.name)
    const fields = [...model.fields.values()]
    this.#add(fields.map((field) => [field.name, { field }]))
    this.#add(fields.map((field) => [label(field), { field }]))
    const titles = viewedFields(views, model).flatMap(({ name, title }) => {
      const field = model.fields.get(name)
      return field === undefined || title === undefined ? [] : [[title, { field }] as const]
    })
    this.#add(titles)
    const related = fields
      .filter(isRelation)
      .flatMap((field) =>
        namingFields(registry.expect(field.relation.target)).map(
          (by) => [`${label(field)} ${label(by)}`, { field, by }] as const,
        ),
      )
    this.#add(related)
  }

  /** Adds names that no earlier ones take. */
  #add(named: readonly (readonly [string, ColumnTarget])[]): void {
    const found = new Map<string, ColumnTarget | undefined>()
    for (const [name, target] of named) {
      const key = plain(name)
      const other = found.get(key)
      const isShared = found.has(key) && (other?.field !== target.field || other.by !== target.by)
      found.set(key, isShared ? undefined : target)
    }
    for (const [key, target] of found)
      if (target !== undefined && key !== '' && !this.#targets.has(key)) this.#targets.set(key, target)
  }

  targetOf(header: string): ColumnTarget | undefined {
    return this.#targets.get(plain(header))
  }
}
