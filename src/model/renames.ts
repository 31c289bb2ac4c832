import type { Registry } from './registry.ts'

const NONE: ReadonlyMap<string, string> = new Map()

/** The renames that models declare by `was`, as names of tables and fields. */
export class Renames {
  /** Present keys of renamed models by their former keys. */
  readonly tables: ReadonlyMap<string, string>
  readonly #fields: ReadonlyMap<string, ReadonlyMap<string, string>>

  constructor(registry: Registry | undefined) {
    const models = registry?.all ?? []
    this.tables = new Map(models.flatMap(({ key, was }) => (was === undefined ? [] : [[was, key] as const])))
    const fields = models.map(({ key, fields }) => {
      const pairs = [...fields.values()].flatMap(({ name, was }) => (was === undefined ? [] : [[was, name] as const]))
      return [key, new Map(pairs)] as const
    })
    this.#fields = new Map(fields.filter(([, pairs]) => pairs.size > 0))
  }

  /** True if a model or field is renamed. */
  get any(): boolean {
    return this.tables.size > 0 || this.#fields.size > 0
  }

  /** Present key of a stored table. */
  table(stored: string): string {
    return this.tables.get(stored) ?? stored
  }

  /** Former names of models and fields. */
  get former(): string[] {
    return [...this.tables.keys(), ...[...this.#fields.values()].flatMap((fields) => [...fields.keys()])]
  }

  /** Present names of a model's renamed fields by their former names. */
  fieldsOf(table: string): ReadonlyMap<string, string> {
    return this.#fields.get(table) ?? NONE
  }
}
