import { type Field, isRelation, type RelationField } from '../../../model/field.ts'
import type { Model } from '../../../model/model.ts'
import type { Registry } from '../../../model/registry.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import type { ResultRow } from '../connection/database.ts'
import { identifier, joined, keyword, quotedName, type Sql, sql } from '../sql.ts'
import { columnOf, type FieldColumn, type LinkTable, linkTableOf, SYSTEM_PREFIX, shortName, tableName } from './column.ts'

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

/** The table of a model: how records become rows, and rows records. */
export class TableLayout {
  readonly model: Model
  /** Name of the table, without the schema. */
  readonly name: string
  /** The qualified name of the table. */
  readonly table: Sql
  /** The columns of fields, in the order of the fields; `id` is the first. */
  readonly columns: readonly FieldColumn[]
  /** The tables of many-to-many fields. */
  readonly links: readonly LinkTable[]
  /** Name of the sequence of ids, qualified and quoted: as a parameter, `$1::regclass`. */
  readonly sequence: string
  /** The same without the schema and without quotes. */
  readonly sequenceName: string
  /** All fields in order. */
  readonly #fields: readonly (FieldColumn | LinkTable)[]
  readonly #columns: ReadonlyMap<string, FieldColumn>
  readonly #links: ReadonlyMap<string, LinkTable>
  /** The lists of `selectList` by alias. Statements use few. */
  readonly #selectLists = new Map<string, Sql>()
  readonly #readers: readonly { readonly name: string; readonly read: (text: string | null) => Json }[]

  constructor(model: Model, schema: string) {
    this.model = model
    this.name = tableName(model)
    this.table = identifier(schema, this.name)
    this.sequenceName = shortName(`${this.name}_id_seq`)
    this.sequence = `${quotedName(schema)}.${quotedName(this.sequenceName)}`
    const fields = [...model.fields.values()]
    this.columns = fields.filter((field) => !isManyToMany(field)).map(columnOf)
    this.links = fields.filter(isManyToMany).map((field) => linkTableOf(field, schema, this.name))
    this.#columns = new Map(this.columns.map((column) => [column.field.name, column]))
    this.#links = new Map(this.links.map((link) => [link.field.name, link]))
    this.#fields = fields.flatMap(({ name }) => this.#columns.get(name) ?? this.#links.get(name) ?? [])
    this.#readers = this.#fields.map(({ field: { name }, read }) => ({ name, read }))
  }

  /** The column of a field; undefined for a many-to-many field. */
  column(field: string): FieldColumn | undefined {
    return this.#columns.get(field)
  }

  /** The column of a field that is known to have one. */
  expectColumn(field: string): FieldColumn {
    const column = this.#columns.get(field)
    if (column === undefined) throw new Error(`The field '${field}' of '${this.model.key}' has no column`)
    return column
  }

  /** The table of a many-to-many field; undefined for other fields. */
  link(field: string): LinkTable | undefined {
    return this.#links.get(field)
  }

  /** Number of values in `selectList`. */
  get width(): number {
    return this.#fields.length + 1
  }

  /**
   * The values from which `read` makes a record: the version of the row, and each field.
   *
   * @param alias the table of the record in the statement, such as `identifier('r')`
   */
  selectList(alias: Sql): Sql {
    const name = alias.compile().text
    const known = this.#selectLists.get(name)
    if (known !== undefined) return known
    // Its text is long and always the same, so it is put together once.
    const list = keyword(joined([sql`${alias}.xmin`, ...this.#fields.map((field) => field.select(alias))]).compile().text)
    this.#selectLists.set(name, list)
    return list
  }

  /**
   * The record of a row. It is frozen, and the version of its row is remembered (`rowVersionOf`).
   *
   * @param offset the column of the result at which `selectList` begins
   */
  read(row: ResultRow, offset = 0): StoredRecord {
    const values: Record<string, Json> = {}
    let at = offset
    for (const { name, read } of this.#readers) {
      at += 1
      values[name] = read(row[at] ?? null)
    }
    const record = Object.freeze(values) as StoredRecord
    rememberRowVersion(record, row[offset] ?? '')
    return record
  }
}

const isManyToMany = (field: Field): field is RelationField => isRelation(field) && field.relation.kind === 'many'

/** `xmin` of the rows from which records were read. */
const versions = new WeakMap<StoredRecord, string>()

/** Remembers the version of the row that a record was read from: its `xmin`, which every update of the row changes. */
export const rememberRowVersion = (record: StoredRecord, xmin: string): void => void versions.set(record, xmin)

/** The version of the row that a record was read from; undefined for a record from elsewhere. */
export const rowVersionOf = (record: StoredRecord): string | undefined => versions.get(record)
