import type { Model } from '../../../../model/model.ts'
import { Renames } from '../../../../model/renames.ts'
import type { Json } from '../../../../util/json.ts'
import { MAX_SAMPLE, type StoredField, type StoredNames, type StoredTable } from '../../../stored-names.ts'
import type { Connection } from '../../connection/database.ts'
import type { Layout } from '../../layout/layout.ts'
import { SYSTEM_PREFIX } from '../../layout/names.ts'
import { identifier, literal, sql } from '../../sql.ts'
import { type CatalogTable, readCatalog } from '../catalog.ts'
import { readRecorded } from '../recorded.ts'

/** The names of tables and columns that were applied and are not dropped, after the renames that the models declare. Reads only. */
export async function storedNamesIn(connection: Connection, layout: Layout): Promise<StoredNames> {
  const { tables } = await readCatalog(connection, layout.schema)
  const names = new Renames(layout.registry)
  const found = new Map<string, StoredTable>()
  if (!tables.has(`${SYSTEM_PREFIX}definitions`)) return found
  for (const [name, { model, columns }] of await readRecorded(connection, layout)) {
    const table = tables.get(name)
    // A link table belongs to a field of its owner.
    if (table === undefined || !('id' in columns)) continue
    const key = names.table(model)
    const own = Object.keys(columns).filter((column) => table.columns.has(column) && !isFlag(column))
    found.set(key, await storedTable(connection, layout, table, { own, key, names, model: layout.registry.get(key) }))
  }
  return found
}

const isFlag = (column: string): boolean => column.startsWith('_')

async function storedTable(
  connection: Connection,
  { schema }: Layout,
  { actual }: CatalogTable,
  { own, key, names, model }: { own: readonly string[]; key: string; names: Renames; model: Model | undefined },
): Promise<StoredTable> {
  const table = identifier(schema, actual)
  const { rows } = await connection.query(sql`select count(*) from ${table}`)
  const fields = new Map<string, StoredField>()
  for (const column of own) {
    const field = names.fieldsOf(key).get(column) ?? column
    const isKnown = model?.fields.has(field) === true
    const name = identifier(column)
    const present = sql`from ${table} where ${name} is not null`
    const counted = await connection.query(isKnown ? sql`select 1 ${present} limit 1` : sql`select count(*) ${present}`)
    const records = Number(counted.rows[0]?.[0] ?? 0)
    if (records === 0) continue
    const sample = isKnown
      ? []
      : (await connection.query(sql`select to_json(${name}) ${present} limit ${literal(MAX_SAMPLE)}`)).rows.map(
          ([value]) => JSON.parse(value ?? 'null') as Json,
        )
    fields.set(field, { records, sample })
  }
  return { records: Number(rows[0]?.[0] ?? 0), fields }
}
