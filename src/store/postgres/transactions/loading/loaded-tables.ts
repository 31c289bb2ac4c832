import type { CommittedTables } from '../../../transactions/committed-table.ts'
import type { Layout } from '../../layout/layout.ts'
import { LoadedTable } from './loaded-table.ts'

/** What a transaction has loaded of all tables. */
export class LoadedTables implements CommittedTables {
  readonly layout: Layout
  readonly #tables = new Map<string, LoadedTable>()

  constructor(layout: Layout) {
    this.layout = layout
  }

  /** The loaded part of a table, empty at first. */
  get(name: string): LoadedTable {
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const table = new LoadedTable(this.layout.of(name))
    this.#tables.set(name, table)
    return table
  }

  get needsNothing(): boolean {
    for (const { needs } of this.#tables.values()) if (!needs.isEmpty) return false
    return true
  }

  /** The tables with needs, in an order that is the same for all transactions, so that they seldom wait for each other in a circle. */
  needing(): LoadedTable[] {
    const needing = [...this.#tables.values()].filter(({ needs }) => !needs.isEmpty)
    return needing.sort((a, b) => (a.layout.name < b.layout.name ? -1 : 1))
  }
}
