import { LRUCache } from 'lru-cache'
import { ChangeListeners } from '../../changes.ts'
import type { Change, Operation } from '../../store.ts'
import { rowVersionOf } from '../layout/layout.ts'

/** A transaction of this process whose outcome is not known yet. */
export interface RunningTransaction {
  /** The records that its operations name. */
  readonly named: ReadonlySet<string>
  /** True if it may change records that its operations do not name. */
  readonly mayCascade: boolean
}

/** Changes that wait for the changes of earlier transactions. */
interface Waiting {
  readonly changes: readonly Change[]
  readonly blockers: Set<RunningTransaction>
}

/** Records whose last reported version is remembered: more than are changed while a transaction runs. */
const REMEMBERED = 10_000

/**
 * Reports the changes of this process to its listeners, the changes of each record in the order of their commits.
 *
 * The server may answer a transaction before another that was committed earlier. The version of the row that a change replaced tells: if it is
 * not the last one that was reported, a running transaction may have made it, and the change waits until that one has ended.
 */
export class OwnChanges extends ChangeListeners {
  readonly #running = new Set<RunningTransaction>()
  /** In the order in which they ended. */
  #waiting: Waiting[] = []
  /** The row versions last reported, by record. */
  readonly #reported = new LRUCache<string, string>({ max: REMEMBERED })

  /** Announces a transaction before it is executed. @param operations undefined if they are decided in the transaction */
  begin(operations: readonly Operation[] | undefined): RunningTransaction {
    const named = operations?.flatMap((operation) =>
      operation.kind === 'insert' || operation.kind === 'assert' ? [] : keyOf(operation.table, operation.id),
    )
    const mayCascade = operations === undefined || operations.some(({ kind }) => kind === 'remove')
    const running = { named: new Set(named), mayCascade }
    this.#running.add(running)
    return running
  }

  /** Reports the changes of a transaction, at once or after those before it; none if it was not committed. */
  end(running: RunningTransaction, changes: readonly Change[]): void {
    this.#running.delete(running)
    if (changes.length > 0) this.#waiting.push({ changes, blockers: this.#blockersOf(changes) })
    for (const { blockers } of this.#waiting) blockers.delete(running)
    this.#reportReady()
  }

  #reportReady(): void {
    for (;;) {
      const ready = this.#waiting.find((waiting) => this.#isReady(waiting))
      if (ready === undefined) return
      this.#waiting = this.#waiting.filter((waiting) => waiting !== ready)
      this.#report(ready.changes)
    }
  }

  #isReady({ changes, blockers }: Waiting): boolean {
    if (changes.every(this.#followsReported)) return true
    if (blockers.size > 0) return false
    return !this.#waiting.some((other) => other.changes !== changes && other.changes.some((made) => precedes(made, changes)))
  }

  #report(changes: readonly Change[]): void {
    for (const { table, id, after } of changes) {
      const version = after === undefined ? undefined : rowVersionOf(after)
      if (version === undefined) this.#reported.delete(keyOf(table, id))
      else this.#reported.set(keyOf(table, id), version)
    }
    this.tell(changes)
  }

  /** The running transactions that may have made what these changes replaced. */
  #blockersOf(changes: readonly Change[]): Set<RunningTransaction> {
    const blockers = new Set<RunningTransaction>()
    for (const change of changes) {
      if (this.#followsReported(change)) continue
      const key = keyOf(change.table, change.id)
      for (const running of this.#running) if (running.mayCascade || running.named.has(key)) blockers.add(running)
    }
    return blockers
  }

  /** True for a new record, and for a change of the version that was reported last. */
  readonly #followsReported = (change: Change): boolean => {
    const version = versionBefore(change)
    return (
      change.before === undefined || (version !== undefined && this.#reported.get(keyOf(change.table, change.id)) === version)
    )
  }
}

/** True if one of the changes replaced the version that another change made. */
function precedes({ table, id, after }: Change, changes: readonly Change[]): boolean {
  const version = after === undefined ? undefined : rowVersionOf(after)
  if (version === undefined) return false
  return changes.some((change) => change.id === id && change.table === table && versionBefore(change) === version)
}

const versionBefore = ({ before }: Change): string | undefined => (before === undefined ? undefined : rowVersionOf(before))

const keyOf = (table: string, id: number): string => `${table} ${id}`
