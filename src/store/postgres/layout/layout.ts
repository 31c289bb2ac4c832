import type { Registry } from '../../../model/registry.ts'
import { identifier, type Sql } from '../sql.ts'
import { SYSTEM_PREFIX } from './names.ts'
import { TableLayout } from './table-layout.ts'

/** The tables of a registry in a schema of the database. */
export class Layout {
  readonly registry: Registry
  /** Name of the schema, unquoted. */
  readonly schema: string
  readonly #tables: ReadonlyMap<string, TableLayout>

  constructor(registry: Registry, schema: string) {
    this.registry = registry
    this.schema = schema
    this.#tables = new Map(registry.all.map((model) => [model.key, new TableLayout(model, schema)]))
  }

  /** The tables of all models. */
  get tables(): readonly TableLayout[] {
    return [...this.#tables.values()]
  }

  /** The table of a model, by the model's key. */
  of(key: string): TableLayout {
    const table = this.#tables.get(key)
    if (table === undefined) throw new Error(`There is no table '${key}'`)
    return table
  }

  /** The qualified name of a table of the server that belongs to no model: `counters` is `_admin_counters`. */
  system(name: string): Sql {
    return identifier(this.schema, SYSTEM_PREFIX + name)
  }
}
