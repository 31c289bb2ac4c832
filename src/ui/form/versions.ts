import type { HistoryEntry, SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { fieldOf } from '../data/site.ts'
import { type FormValues, isSameContent, valueIn } from './values.ts'

export type Side = 'mine' | 'theirs'

/** A field that two people have left with different values. */
export interface Difference {
  readonly name: string
  readonly mine: unknown
  readonly theirs: unknown
  /** The side to take at first: the only one that has changed the field, otherwise mine. */
  readonly proposed: Side
  /** True if both sides have changed the field. */
  readonly isContested: boolean
}

/**
 * The fields in which an edited record differs from the version that someone else has stored.
 *
 * @param names the fields that the form may set
 * @param base the version that the edits began with
 */
export function differencesOf(
  model: SiteModel,
  names: readonly string[],
  base: AnyRecord,
  edits: FormValues,
  theirs: AnyRecord,
): Difference[] {
  return names.flatMap((name): Difference[] => {
    const field = fieldOf(model, name)
    if (field === undefined) return []
    const before = valueIn(base, field)
    const mine = name in edits ? edits[name] : before
    const stored = valueIn(theirs, field)
    if (isSameContent(field, mine, stored)) return []
    const isMine = !isSameContent(field, before, mine)
    const isTheirs = !isSameContent(field, before, stored)
    return [{ name, mine, theirs: stored, proposed: isMine ? 'mine' : 'theirs', isContested: isMine && isTheirs }]
  })
}

/** The edits that remain over the stored version when the sides have been chosen. Edits of other fields stay. */
export function mergedEdits(
  edits: FormValues,
  differences: readonly Difference[],
  sides: Readonly<Record<string, Side>>,
): FormValues {
  const taken = (side: Side) => differences.filter(({ name, proposed }) => (sides[name] ?? proposed) === side)
  const theirs = new Set(taken('theirs').map(({ name }) => name))
  const kept = Object.entries(edits).filter(([name]) => !theirs.has(name))
  return Object.fromEntries([...kept, ...taken('mine').map(({ name, mine }) => [name, mine] as const)])
}

/** True if a field of the model, as it is stored, differs between two versions of a record. */
export const hasChanged = (model: SiteModel, one: AnyRecord, other: AnyRecord): boolean =>
  model.fields.some((field) => !isSameContent(field, valueIn(one, field), valueIn(other, field)))

/**
 * The values that an entry of a history can restore: those before a change, or those that the record was created with. Secrets are not
 * recorded, and hidden values are not shown, so they cannot be restored.
 */
export function restorable({ action, changes }: HistoryEntry, writable: readonly string[]): FormValues {
  const values = Object.entries(changes).flatMap(([name, change]): [string, unknown][] => {
    if (!writable.includes(name) || change.secret === true || change.hidden === true) return []
    return [[name, action === 'create' ? change.after : change.before]]
  })
  return Object.fromEntries(values)
}
