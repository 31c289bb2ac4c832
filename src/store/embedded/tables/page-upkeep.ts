import { comparer, matcher } from '../../../query/match.ts'
import type { Plan } from '../../../query/plan.ts'
import type { FoundPage, StoredRecord } from '../../store.ts'

/** Membership and order of a list. */
interface Rule {
  readonly matches: (record: StoredRecord) => boolean
  readonly compare: (a: StoredRecord, b: StoredRecord) => number
}

/**
 * A page after changes of its table, as a materialised view is maintained incrementally (Blakeley, Larson & Tompa, SIGMOD 1986). So a
 * write costs the pages of its table nothing, and a page is queried again only if the changes do not determine it.
 *
 * @param plan a plan that reads no other table
 * @returns the same page if nothing that concerns it has changed; undefined if the plan must be executed
 */
export function pageAfter(page: FoundPage, plan: Plan, changes: readonly Replacement[]): FoundPage | undefined {
  const rule: Rule = { matches: matcher({ all: plan.filters }), compare: comparer(plan.sort) }
  let after: FoundPage | undefined = page
  for (const { before, after: is } of changes) after = after && withChange(after, plan, rule, before, is)
  return after
}

/** @returns undefined if an unknown record moves onto the page */
function withChange(
  page: FoundPage,
  plan: Plan,
  { matches, compare }: Rule,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): FoundPage | undefined {
  const was = before !== undefined && matches(before) ? before : undefined
  const is = after !== undefined && matches(after) ? after : undefined
  if (was !== undefined && is !== undefined && compare(was, is) === 0) return replaced(page, was, is)
  const left = was === undefined ? page : without(page, plan, was, compare)
  return is === undefined || left === undefined ? left : having(left, plan, is, compare)
}

/** The page with a changed record that keeps its position. */
function replaced(page: FoundPage, was: StoredRecord, is: StoredRecord): FoundPage {
  const place = page.records.indexOf(was)
  return place === -1 ? page : { records: page.records.with(place, is), total: page.total }
}

function without(
  { records, total }: FoundPage,
  { offset }: Plan,
  record: StoredRecord,
  compare: Rule['compare'],
): FoundPage | undefined {
  const place = placeIn(records, record, compare)
  if (place === records.length) return { records, total: total - 1 }
  const isLast = offset + records.length >= total
  // A change before the page or a removal from it moves other records onto it.
  if (records[place] !== record || !isLast) return undefined
  return { records: records.toSpliced(place, 1), total: total - 1 }
}

function having(
  { records, total }: FoundPage,
  plan: Plan,
  record: StoredRecord,
  compare: Rule['compare'],
): FoundPage | undefined {
  const { offset, limit } = plan
  const place = placeIn(records, record, compare)
  if (place === limit) return { records, total: total + 1 }
  if (place === 0 && offset > 0) return undefined
  return { records: records.toSpliced(place, 0, record).slice(0, limit), total: total + 1 }
}

/** Number of the ordered records that come before another. */
function placeIn(records: readonly StoredRecord[], record: StoredRecord, compare: Rule['compare']): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(records[middle] as StoredRecord, record) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** A record before and after a change: absent before creation and after deletion. */
interface Replacement {
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
}

/** Number of changes kept. Catching up with more would take longer than a new query. */
const LENGTH = 128

/** The latest changes of a table, from which cached results catch up. */
export class RecentChanges {
  readonly #before: (StoredRecord | undefined)[] = new Array(LENGTH).fill(undefined)
  readonly #after: (StoredRecord | undefined)[] = new Array(LENGTH).fill(undefined)
  #count = 0

  /** Total number of changes so far. */
  get count(): number {
    return this.#count
  }

  note(before: StoredRecord | undefined, after: StoredRecord | undefined): void {
    const place = this.#count++ % LENGTH
    this.#before[place] = before
    this.#after[place] = after
  }

  /** The changes after the first `count`, in order; undefined if they are no longer kept. */
  since(count: number): readonly Replacement[] | undefined {
    if (count === this.#count) return NONE
    if (this.#count - count > LENGTH) return undefined
    return Array.from({ length: this.#count - count }, (_, index) => {
      const place = (count + index) % LENGTH
      return { before: this.#before[place], after: this.#after[place] }
    })
  }
}

const NONE: readonly Replacement[] = []
