import { LRUCache } from 'lru-cache'
import { comparer } from '../../../query/compare.ts'
import { matcher } from '../../../query/match.ts'
import type { Plan } from '../../../query/plan.ts'
import type { StoredRecord } from '../../store.ts'

/** Approximate capacity, in records. */
const CAPACITY = 50_000
/** Overhead of a page, in records. */
const OVERHEAD = 10

/** A page of the records that a plan matches, and their total number. */
export interface FoundRecords {
  readonly records: readonly StoredRecord[]
  readonly total: number
}

interface Answer {
  page: FoundRecords
  /** Other tables that the page depends on, with the number of their changes that it includes. */
  readonly others: readonly { readonly changes: RecentChanges; readonly count: number }[]
  /** Number of table changes that the page includes. */
  knows: number
  /** Created when the page has changes to catch up with. */
  rule: Rule | undefined
}

/** Membership and order of a list. */
interface Rule {
  readonly matches: (record: StoredRecord) => boolean
  readonly compare: (a: StoredRecord, b: StoredRecord) => number
}

/**
 * Cache of list pages. A cached page first catches up with the changes since, as a materialised view is maintained
 * incrementally (Blakeley, Larson & Tompa, SIGMOD 1986). So a write costs nothing here, and a page is queried again only if the
 * changes do not determine it. A page that depends on other tables is queried again after any change.
 */
export class QueryCache {
  readonly #changes: RecentChanges
  readonly #kept = new LRUCache<Plan, Answer>({
    maxSize: CAPACITY,
    sizeCalculation: ({ page }) => page.records.length + OVERHEAD,
  })

  constructor(changes: RecentChanges) {
    this.#changes = changes
  }

  /**
   * The present page of a plan.
   *
   * @param plan the same object as in `remember`
   * @returns undefined if the plan must be executed
   */
  recall(plan: Plan): FoundRecords | undefined {
    const answer = this.#kept.get(plan)
    if (answer === undefined) return undefined
    const isIntact = answer.others.every(({ changes, count }) => changes.count === count)
    if (isIntact && answer.knows === this.#changes.count) return answer.page
    const page = answer.others.length === 0 ? this.#caughtUp(plan, answer) : undefined
    if (page === undefined) {
      this.#kept.delete(plan)
      return undefined
    }
    answer.page = page
    answer.knows = this.#changes.count
    return page
  }

  /** @param others changes of the other tables that the page depends on */
  remember(plan: Plan, page: FoundRecords, others: readonly RecentChanges[] = []): void {
    const counts = others.map((changes) => ({ changes, count: changes.count }))
    this.#kept.set(plan, { page, others: counts, knows: this.#changes.count, rule: undefined })
  }

  #caughtUp(plan: Plan, answer: Answer): FoundRecords | undefined {
    const changes = this.#changes.since(answer.knows)
    if (changes === undefined) return undefined
    answer.rule ??= ruleOf(plan)
    let page: FoundRecords | undefined = answer.page
    for (const { before, after } of changes) {
      page = page && withChange(page, plan, answer.rule, before, after)
    }
    return page
  }
}

function ruleOf({ filters, sort }: Plan): Rule {
  return { matches: matcher({ all: filters }), compare: comparer(sort) }
}

/** @returns undefined if an unknown record moves onto the page */
function withChange(
  page: FoundRecords,
  plan: Plan,
  { matches, compare }: Rule,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): FoundRecords | undefined {
  const was = before !== undefined && matches(before) ? before : undefined
  const is = after !== undefined && matches(after) ? after : undefined
  if (was !== undefined && is !== undefined && compare(was, is) === 0) return replaced(page, was, is)
  const left = was === undefined ? page : without(page, plan, was, compare)
  return is === undefined || left === undefined ? left : having(left, plan, is, compare)
}

/** The page with a changed record that keeps its position. */
function replaced(page: FoundRecords, was: StoredRecord, is: StoredRecord): FoundRecords {
  const place = page.records.indexOf(was)
  return place === -1 ? page : { records: page.records.with(place, is), total: page.total }
}

function without(
  { records, total }: FoundRecords,
  { offset }: Plan,
  record: StoredRecord,
  compare: Rule['compare'],
): FoundRecords | undefined {
  const place = placeIn(records, record, compare)
  if (place === records.length) return { records, total: total - 1 }
  const isLast = offset + records.length >= total
  // A change before the page or a removal from it moves other records onto it.
  if (records[place] !== record || !isLast) return undefined
  return { records: records.toSpliced(place, 1), total: total - 1 }
}

function having(
  { records, total }: FoundRecords,
  plan: Plan,
  record: StoredRecord,
  compare: Rule['compare'],
): FoundRecords | undefined {
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
