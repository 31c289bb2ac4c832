import { type Actor, SYSTEM } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { Operation, Outcome, StoredRecord } from '../store/store.ts'
import type { DraftedWrite } from './drafts.ts'
import type { Completion } from './hooks.ts'

/** Operations without those that hooks add. */
export interface DecidedWrite {
  readonly operations: readonly Operation[]
  /** The operations of the request, whose records are its result: from this index, and how many; all when absent. */
  readonly own?: { readonly from: number; readonly count: number }
  /** With whose rights code writes, by operation. */
  readonly actors?: ReadonlyMap<Operation, Actor | undefined>
  /** The operations that set what needs no right of the actor, of records with a former operation: by index, each with that of the former one. */
  readonly later?: ReadonlyMap<number, number>
  /** As `OpenTransaction`. */
  readonly isQuiet?: boolean
}

/**
 * The operations of drafts, then those of code: its removals, and the assertions of what it has read.
 *
 * @param sent the operations of the drafts
 * @param own which of them are those of the request
 * @param permitted the actor of a write that is permitted, but for what code writes to its records by `tx.model`
 */
export function completedWrite(
  sent: readonly Operation[],
  writes: readonly DraftedWrite[],
  own: NonNullable<DecidedWrite['own']>,
  completion: Completion,
  permitted?: Actor,
): DecidedWrite {
  const operations = sent.map((operation) => withKnownCascade(operation, completion))
  const removed = removalsOf(completion)
  const actors = new Map<Operation, Actor | undefined>(removed.map(({ operation, actor }) => [operation, actor]))
  for (const [index, operation] of operations.entries()) {
    const { actor } = writes[index] ?? {}
    if (actor !== undefined) actors.set(operation, actor)
  }
  const { operations: ofServer = [], setters } = completion
  for (const operation of ofServer) actors.set(operation, SYSTEM)
  const divided = [...operations]
  const later = new Map<number, number>()
  for (const [index, { open }] of setters === undefined || setters.size === 0 ? [] : writes.entries()) {
    const found = open && setters?.get(open)
    const operation = operations[index]
    if (found === undefined || operation?.kind !== 'update') continue
    const { bySystem, writtenByActor } = found
    const judged = index >= own.from && index < own.from + own.count ? permitted : undefined
    if ((judged === undefined ? bySystem : writtenByActor).size === 0) continue
    const [first, second] = inTwo(operation, (name) => (judged === undefined ? !bySystem.has(name) : writtenByActor.has(name)))
    divided[index] = first
    if (judged !== undefined) actors.set(first, judged)
    else if (actors.has(operation)) actors.set(first, actors.get(operation))
    actors.set(second, SYSTEM)
    later.set(divided.push(second) - 1, index)
  }
  const all = [...divided, ...removed.map(({ operation }) => operation), ...ofServer, ...assertionsOf(completion)]
  return { operations: all, own, actors, later }
}

/**
 * The operations of a removal, with what code adds. The writes of code come first: a removal may change the records that they expect.
 *
 * @param written the operations of the writes of code
 */
export function completedRemoval(
  model: Model,
  found: readonly StoredRecord[],
  written: readonly Operation[],
  completion: Completion,
): DecidedWrite {
  const own = removals(model, found).map((operation) => withKnownCascade(operation, completion))
  const rest = completedWrite(written, completion.writes, { from: 0, count: 0 }, completion)
  const from = written.length + (rest.later?.size ?? 0)
  const operations = [...rest.operations.slice(0, from), ...own, ...rest.operations.slice(from)]
  return { ...rest, operations, own: { from, count: own.length } }
}

/** A removal with what code has seen of the cascades. */
const withKnownCascade = (operation: Operation, { knownCascade }: Completion): Operation =>
  operation.kind === 'remove' && knownCascade !== undefined ? { ...operation, knownCascade } : operation

export const removals = ({ key: table }: Model, records: readonly StoredRecord[]): readonly Operation[] =>
  records.map((record) => ({ kind: 'remove', table, id: record.id, expect: record }))

/**
 * An update of a record as two: the conditions of the actor's rights hold for the first.
 *
 * @param isJudged true for the fields that the first one sets
 */
function inTwo(
  operation: Extract<Operation, { kind: 'update' }>,
  isJudged: (name: string) => boolean,
): readonly [Operation, Operation] {
  const { kind, table, id, values, refs = [] } = operation
  const part = (isFirst: boolean) => ({
    values: Object.fromEntries(Object.entries(values).filter(([name]) => isJudged(name) === isFirst)),
    refs: refs.filter(({ field }) => isJudged(field) === isFirst),
  })
  return [
    { ...operation, ...part(true) },
    { kind, table, id, ...part(false), ...(operation.via === undefined ? {} : { via: operation.via }) },
  ]
}

/** The outcome as that of the request's own operations: code and hooks have added the others. */
export function ownRecords(outcome: Outcome, decided: DecidedWrite): Outcome {
  const { operations, own = { from: 0, count: operations.length }, later = new Map<number, number>() } = decided
  if (!outcome.ok) {
    if (later.size === 0) return outcome
    return { ok: false, violations: outcome.violations.map((each) => ({ ...each, index: later.get(each.index) ?? each.index })) }
  }
  if (outcome.records.length === own.count) return outcome
  const records = [...outcome.records]
  for (const [second, first] of later) {
    const record = records[second]
    if (record !== undefined) records[first] = record
  }
  return { ...outcome, records: records.slice(own.from, own.from + own.count) }
}

const removalsOf = ({ removals: list, knownCascade }: Completion) =>
  list.map(({ model, record, actor, via }) => {
    const known = knownCascade === undefined ? {} : { knownCascade }
    const operation: Operation = {
      kind: 'remove',
      table: model.key,
      id: record.id,
      expect: record,
      ...known,
      ...(via === undefined ? {} : { via }),
    }
    return { operation, actor }
  })

const assertionsOf = ({ reads }: Completion): readonly Operation[] =>
  reads.map(({ table, id, record }) => ({ kind: 'assert', table, id, expect: record }))
