import { AppError } from '../../../errors.ts'
import type { Connection } from '../connection/database.ts'
import type { TableDefinition } from '../layout/definitions.ts'
import type { Layout } from '../layout/layout.ts'
import { identifier, joined, literal, type Sql, sql } from '../sql.ts'
import type { Catalog, CatalogTable, HistoryRename, RecordedTable } from './catalog.ts'

/** The order in which steps are applied. */
const PHASES = [
  'system',
  'rename',
  'release',
  'create',
  'column',
  'constraint',
  'foreignKey',
  'index',
  'trigger',
  'history',
  'drop',
  'comment',
] as const

export type Phase = (typeof PHASES)[number]

/**
 * - `additive`: loses nothing and cannot fail because of the rows: a start applies it.
 * - `checked`: rows can be in the way: `admin migrate --apply` applies it.
 * - `destructive`: drops a table or a column with its values, if that is allowed.
 */
type StepClass = 'additive' | 'checked' | 'destructive'

/** A row that a step cannot be applied to. */
interface RowInTheWay {
  readonly id: number
  /** The value as text; null for no value, and for one that is secret. */
  readonly value: string | null
}

/** The number of rows that a step cannot be applied to, and the first of them. */
export interface RowsInTheWay {
  readonly count: number
  readonly examples: readonly RowInTheWay[]
}

/** A step from the schema that is applied to the one that the models define. */
export interface Step {
  readonly phase: Phase
  readonly class: StepClass
  /** A sentence that names the model and field. */
  readonly reason: string
  readonly statements: readonly Sql[]
  /** The rows in the way of a checked step; the step can be applied if there are none. */
  readonly rows?: RowsInTheWay
  /** Executed in place of a destructive step that is not allowed: the table or column stays, unused. */
  readonly keep?: readonly Sql[]
  /** True for statements that are executed one by one after the others were committed. */
  readonly isConcurrent?: true
  /**
   * Set if a process of an earlier release cannot go on with the table.
   *
   * - `names`: its statements fail, as after a rename. A start applies the step only while no other process lives.
   * - `values`: it would read or store other values, as after another type. Nothing applies the step while another process lives.
   */
  readonly breaks?: 'names' | 'values'
  /** The rename that entries of the history follow: executed in slices, in place of the statements. */
  readonly history?: HistoryRename
}

/** Number of rows in the way that are shown. */
const EXAMPLES = 5

/**
 * A plan that is being made. Catalog and recorded definitions change with each step as the database will change, so that later parts of
 * the plan see what earlier ones leave behind. The database itself does not change.
 */
export class PlanDraft {
  readonly layout: Layout
  readonly catalog: Catalog
  /** What is recorded when the steps are applied and destruction is not allowed. */
  readonly recorded: Map<string, RecordedTable>
  /** Drops of what an earlier run kept. */
  readonly unused: Step[] = []
  /** Changes of comments, which no release depends on. */
  readonly comments: Step[] = []
  /** Values of the rows in columns that the plan adds, by `table.column`. */
  readonly fillings = new Map<string, Sql>()
  /** Columns whose type the plan changes, as `table.column`. */
  readonly converted = new Set<string>()
  readonly #connection: Connection
  readonly #steps = new Map<Phase, Step[]>(PHASES.map((phase) => [phase, []]))
  readonly #hasRows = new Map<CatalogTable, boolean>()

  constructor(connection: Connection, layout: Layout, catalog: Catalog, recorded: Map<string, RecordedTable>) {
    this.#connection = connection
    this.layout = layout
    this.catalog = catalog
    this.recorded = recorded
  }

  add(phase: Phase, step: Omit<Step, 'phase'>): void {
    this.#steps.get(phase)?.push({ phase, ...step })
  }

  /** Adds the drop of a table or column. @param isKept true if an earlier run kept it */
  drop(reason: string, statements: readonly Sql[], keep: readonly Sql[], isKept: boolean): void {
    const step: Step = { phase: 'drop', class: 'destructive', reason, statements, keep }
    if (isKept) this.unused.push(step)
    else this.add('drop', step)
  }

  /** The steps in the order in which they are applied. */
  get steps(): Step[] {
    return [...this.#steps.values()].flat()
  }

  /** Number of steps that lock tables against reads and writes. */
  get locking(): number {
    return this.steps.filter(({ isConcurrent }) => isConcurrent !== true).length
  }

  /** The qualified name of a table. */
  table(name: string): Sql {
    return identifier(this.layout.schema, name)
  }

  /** True if a table has rows now. */
  async hasRows(table: CatalogTable): Promise<boolean> {
    if (table.actual === '') return false
    const known = this.#hasRows.get(table)
    if (known !== undefined) return known
    const { rows } = await this.#connection.query(sql`select exists (select from ${this.table(table.actual)})`)
    const has = rows[0]?.[0] === 't'
    this.#hasRows.set(table, has)
    return has
  }

  /**
   * The rows of a table, under the names that its columns will have. Columns that the plan adds have the values that they will have.
   *
   * @param alias name of the result
   */
  rowsOf(definition: TableDefinition, table: CatalogTable, alias: string): Sql {
    const columns = definition.columns.flatMap(({ name }) => {
      const column = table.columns.get(name)
      if (column === undefined) return []
      const value =
        column.actual === '' ? (this.fillings.get(`${definition.name}.${name}`) ?? sql`null`) : identifier(column.actual)
      return [sql`${value} as ${identifier(name)}`]
    })
    return sql`(select ${joined(columns)} from ${this.table(table.actual)}) as ${identifier(alias)}`
  }

  /**
   * Counts rows, and shows the first of them.
   *
   * @param from the rows, with a condition: what follows `from`
   * @param id the id of a row
   * @param value the value to show
   */
  async count(from: Sql, id: Sql, value: Sql): Promise<RowsInTheWay> {
    const { rows } =
      await this.#connection.query(sql`with "found" as materialized (select ${id} as "id", ${value} as "value" from ${from})
      select (select count(*) from "found"), "id", "value" from "found" order by "id" limit ${literal(EXAMPLES)}`)
    return {
      count: Number(rows[0]?.[0] ?? 0),
      examples: rows.map(([, each, shown]) => ({ id: Number(each), value: shown ?? null })),
    }
  }
}

/** The error for two names that both hold data. */
export const renameConflict = (what: string, was: string): AppError =>
  new AppError(
    'RENAME_CONFLICT',
    `${what} was '${was}', but the database has rows of both names; remove \`was\` to keep those of the present name, or remove the others`,
  )
