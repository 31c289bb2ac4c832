import type { Operation, SideRecords } from '../../store.ts'
import type { Work } from './general-transaction.ts'

/** Below this number of operations, the statements of several runs take longer than the general transaction. */
const MIN_OPERATIONS = 100

/** More runs have too many statements. */
const MAX_RUNS = 4

/**
 * Divides a transaction of many creations, such as an order and its lines, into runs of one table each, so that those whose records take
 * their next ids are one statement. Runs are not logged: the transaction is, as a whole.
 *
 * @returns undefined for any other transaction
 */
export function runsOf({ operations, notes, mode }: Work): readonly Work[] | undefined {
  if (operations.length < MIN_OPERATIONS) return undefined
  const runs: { readonly table: string; readonly start: number; readonly own: Operation[] }[] = []
  for (const [start, operation] of operations.entries()) {
    // References are the places of operations in the whole transaction.
    if (operation.kind !== 'insert' || operation.refs !== undefined) return undefined
    const last = runs.at(-1)
    if (last?.table === operation.table) last.own.push(operation)
    else if (runs.push({ table: operation.table, start, own: [operation] }) > MAX_RUNS) return undefined
  }
  if (runs.length < 2) return undefined
  return runs.map(({ start, own }) => ({ mode, operations: own, notes: notesFrom(notes, start), isContinued: start > 0 }))
}

/** The notes of the run that begins with an operation. The ids of its events are not those of other runs. */
function notesFrom(notes: SideRecords | undefined, start: number): SideRecords | undefined {
  if (notes?.events === undefined || start === 0) return notes
  return { ...notes, events: { ...notes.events, key: `${notes.events.key}_${start + 1}` } }
}
