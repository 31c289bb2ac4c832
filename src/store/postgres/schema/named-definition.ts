import type { Sql } from '../sql.ts'

/** A constraint or an index, with a name that is unique in the schema. */
export interface NamedDefinition {
  readonly name: string
  /** Of a constraint what follows its name, of an index what follows the name of the table. */
  readonly definition: Sql
}
