import type { ApplyPart, TransactionMode, Violation } from '../store/store.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import { type DraftedWrite, isUnreadable } from './drafts.ts'
import type { OpenTransaction } from './hooks.ts'

/** Maximum number of attempts of a write whose records are changed by concurrent writes. */
const MAX_ATTEMPTS = 10

/** Ends a transaction that cannot be committed. */
class Refused extends Error {}

/** What a large write needs of the committer. */
export interface LargeWriteParts {
  transact<T>(mode: TransactionMode, work: (apply: ApplyPart) => Promise<T>): Promise<T>
  /** The transaction of a part, to commit or to rehearse. */
  transaction(writes: readonly DraftedWrite[], mode: TransactionMode): Promise<OpenTransaction>
  /** The messages for violations of constraints, by write. Throws for those that are no errors of fields. */
  issues(violations: readonly Violation[], writes: readonly DraftedWrite[]): ReadonlyMap<number, FieldIssues>
}

/** Writes of one transaction that are too many to be in memory at once. */
export class LargeWrite {
  readonly #parts: LargeWriteParts
  /** Makes the drafts, from the first one at each call. */
  readonly #read: () => AsyncIterable<readonly DraftedWrite[]>

  constructor(parts: LargeWriteParts, read: () => AsyncIterable<readonly DraftedWrite[]>) {
    this.#parts = parts
    this.#read = read
  }

  /**
   * Commits all drafts, or rehearses them.
   *
   * @param prefix of field names in messages
   * @returns false if the records keep changing
   * @throws {AppError} as `rehearse`
   */
  async run(prefix: (index: number) => string, isRehearsal = false): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!isRehearsal && (await this.commit())) return true
      // What was refused is rehearsed too, which tells why.
      if ((await this.rehearse(prefix)) && isRehearsal) return true
    }
    return false
  }

  /** @returns false if nothing is committed: a draft has errors, or the store refuses a part */
  async commit(): Promise<boolean> {
    const { transact, transaction } = this.#parts
    try {
      await transact('commit', async (apply) => {
        for await (const writes of this.#read()) {
          if (writes.some(({ draft }) => draft.issues.any)) throw new Refused()
          const part = await transaction(writes, 'commit')
          if (!(await apply(part.operations, part)).ok) throw new Refused()
        }
      })
      return true
    } catch (error) {
      if (error instanceof Refused) return false
      throw error
    }
  }

  /**
   * Does everything except the commit.
   *
   * @param prefix of field names in messages
   * @returns false if records changed or disappeared between read and write
   * @throws {AppError} VALIDATION_FAILED with the errors of all drafts, up to a limit
   */
  async rehearse(prefix: (index: number) => string): Promise<boolean> {
    const { transact, transaction } = this.#parts
    const { found, isCurrent } = await transact('rehearse', async (apply) => {
      const all = new FieldIssues()
      let [start, areCurrent] = [0, true]
      const rehearsed = async (writes: readonly DraftedWrite[]) => apply((await transaction(writes, 'rehearse')).operations)
      for await (const writes of this.#read()) {
        const outcome = writes.some(isUnreadable) ? UNREADABLE : await rehearsed(writes)
        const violations = outcome.ok ? [] : outcome.violations
        areCurrent &&= violations.every(({ kind }) => kind !== 'stale' && kind !== 'missing')
        const broken = this.#parts.issues(violations, writes)
        const sound: DraftedWrite[] = []
        for (const [index, write] of writes.entries()) {
          const issues = new FieldIssues()
          issues.addAll(write.draft.issues)
          issues.addMissing(broken.get(index) ?? new FieldIssues())
          all.addAll(issues, prefix(start + index))
          if (!issues.any) sound.push(write)
        }
        start += writes.length
        if (all.size > MAX_NAMED) break
        // Later parts may repeat their values.
        if (!outcome.ok && sound.length > 0 && sound.length < writes.length) await rehearsed(sound)
      }
      return { found: all, isCurrent: areCurrent }
    })
    found.throwIfAny()
    return isCurrent
  }
}

/** Nothing is known of the constraints of a part with rows that cannot be read. */
const UNREADABLE = { ok: false, violations: [] } as const
