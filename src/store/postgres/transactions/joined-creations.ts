import type { Outcome } from '../../store.ts'
import { type Connection, isConstraintViolation } from '../connection/database.ts'
import { Creation, MAX_JOINED } from './creation.ts'

/** Maximum number of records of one statement. */
const MAX_RECORDS = 200

/** A creation, and the caller that waits for its outcome. */
interface Waiting {
  readonly creation: Creation
  resolve(outcome: Promise<Outcome | undefined> | Outcome): void
  reject(error: unknown): void
}

/** Runs `task` when the present turn of the event loop is over. */
export type AfterTurn = (task: () => void) => void

/**
 * Joins creations of one kind that arrive in one turn of the event loop into one statement. Each keeps its own outcome: if the statement
 * stores nothing or breaks a constraint, each of them runs alone; after a deadlock all callers get it as an error.
 */
export class JoinedCreations {
  readonly #connection: Connection
  readonly #afterTurn: AfterTurn
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(connection: Connection, afterTurn: AfterTurn) {
    this.#connection = connection
    this.#afterTurn = afterTurn
  }

  /** @returns undefined if the records may not be stored; then nothing is */
  run(creation: Creation): Promise<Outcome | undefined> {
    if (creation.size > MAX_JOINED) return creation.run(this.#connection)
    return new Promise((resolve, reject) => {
      const { kind } = creation
      const others = this.#waiting.get(kind)
      if (others !== undefined) return void others.push({ creation, resolve, reject })
      this.#waiting.set(kind, [{ creation, resolve, reject }])
      this.#afterTurn(() => {
        const waiting = this.#waiting.get(kind) ?? []
        this.#waiting.delete(kind)
        for (const group of groupsOf(waiting)) void this.#runGroup(group)
      })
    })
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#joined(group)
      for (const [index, { creation, resolve }] of group.entries()) resolve(outcomes?.[index] ?? creation.run(this.#connection))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  /** @returns undefined if nothing is stored */
  async #joined(group: readonly Waiting[]): Promise<readonly Outcome[] | undefined> {
    const [first, ...others] = group.map(({ creation }) => creation)
    if (first === undefined || others.length === 0) return undefined
    try {
      return await Creation.runJoined(this.#connection, [first, ...others])
    } catch (error) {
      if (isConstraintViolation(error)) return undefined
      throw error
    }
  }
}

function groupsOf(waiting: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = []
  let records = Number.POSITIVE_INFINITY
  for (const each of waiting) {
    records += each.creation.size
    if (records > MAX_RECORDS) {
      groups.push([])
      records = each.creation.size
    }
    groups.at(-1)?.push(each)
  }
  return groups
}
