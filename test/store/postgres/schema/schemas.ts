import type { FieldDefinition, ModelDefinition } from '../../../../src/model/definition.ts'
import type { Database } from '../../../../src/store/postgres/connection/database.ts'
import { Layout } from '../../../../src/store/postgres/layout/layout.ts'
import { applySchema, planOf } from '../../../../src/store/postgres/schema/migration.ts'
import { identifier, type Parameter, Sql, sql } from '../../../../src/store/postgres/sql.ts'
import { newSchema } from '../../../helpers/postgres/schemas.ts'
import { registryOf } from '../../../model/models.ts'

/** A model with these fields. */
export const model = (
  name: string,
  fields: readonly FieldDefinition[],
  more: Partial<ModelDefinition> = {},
): ModelDefinition => ({ name, ...more, fields })

/** A schema of the database, with the models that a test defines for it one after the other. */
export class SchemaUnderTest {
  readonly database: Database
  readonly schema: string
  readonly #drop: () => Promise<void>

  constructor(database: Database) {
    const { schema, drop } = newSchema(database)
    this.database = database
    this.schema = schema
    this.#drop = drop
  }

  layout(...models: readonly ModelDefinition[]): Layout {
    return new Layout(registryOf(...models), this.schema)
  }

  plan(...models: readonly ModelDefinition[]) {
    return planOf(this.database, this.layout(...models))
  }

  /** Classes and reasons of the steps. */
  async reasons(...models: readonly ModelDefinition[]): Promise<string[]> {
    const { steps, comments } = await this.plan(...models)
    return [...steps, ...comments].map((step) => `${step.class}: ${step.reason}`)
  }

  apply(models: readonly ModelDefinition[], options: Parameters<typeof applySchema>[2] = {}) {
    return applySchema(this.database, this.layout(...models), options)
  }

  /** A table of the schema. */
  table(name: string): Sql {
    return identifier(this.schema, name)
  }

  /** Inserts a row, whose columns and values are given. */
  async insert(table: string, values: Readonly<Record<string, Parameter>>): Promise<void> {
    const names = Object.keys(values).map((name) => identifier(name))
    const list = (parts: readonly (Sql | Parameter)[]) => new Sql(['', ...parts.slice(1).map(() => ', '), ''], parts)
    await this.database.query(sql`insert into ${this.table(table)} (${list(names)}) values (${list(Object.values(values))})`)
  }

  async rows(statement: Sql): Promise<unknown[]> {
    const { rows } = await this.database.query(statement)
    return rows.map((row) => (row.length === 1 ? row[0] : [...row]))
  }

  drop(): Promise<void> {
    return this.#drop()
  }
}

/** Calls `use` with an empty schema, which is dropped afterwards. */
export const inSchema = (database: () => Promise<Database>, use: (schema: SchemaUnderTest) => Promise<void>) => async () => {
  const schema = new SchemaUnderTest(await database())
  try {
    await use(schema)
  } finally {
    await schema.drop()
  }
}
