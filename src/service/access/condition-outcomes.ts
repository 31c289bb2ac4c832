import type { Filter } from '../../query/plan.ts'

/** The user as a condition sees it: the fields of the record, and the names of the groups. Null without a user. */
export type Subject = Readonly<Record<string, unknown>> | null

/** A condition on records for one user: all of them, none, or those that a filter matches. */
export type Bound = Filter | boolean

/**
 * The records of which a condition is true and those of which it is false. It is neither of those for which its evaluation fails, such
 * as those with null on a side of `<`. As in CEL, `false && failure` is false and `true || failure` true.
 */
export interface Outcome {
  readonly yes: Bound
  readonly no: Bound
}

/** A part of a condition, compiled. */
export type Part = (user: Subject) => Outcome

/** The outcome of a part whose evaluation fails. */
export const FAILED: Outcome = { yes: false, no: false }

/** A part that combines the outcomes of two. */
export function joined(left: Part, right: Part, yes: (a: Bound, b: Bound) => Bound, no: (a: Bound, b: Bound) => Bound): Part {
  return (user) => {
    const [a, b] = [left(user), right(user)]
    return { yes: yes(a.yes, b.yes), no: no(a.no, b.no) }
  }
}

/** The records of both. */
export function both(a: Bound, b: Bound): Bound {
  if (typeof a === 'boolean') return a ? b : false
  if (typeof b === 'boolean') return b ? a : false
  return { all: [a, b] }
}

/** The records of either. */
export function either(a: Bound, b: Bound): Bound {
  if (typeof a === 'boolean') return a ? true : b
  if (typeof b === 'boolean') return b ? true : a
  return { any: [a, b] }
}
