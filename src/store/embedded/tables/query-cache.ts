import { comparer } from '../../../query/compare.ts'
import { matcher } from '../../../query/match.ts'
import { isRelationFilter, type Plan } from '../../../query/plan.ts'
import { GenerationalCache } from '../../../util/generational-cache.ts'
import type { StoredRecord } from '../../store.ts'
import type { RecentChanges } from './recent-changes.ts'

/** How many records are kept in remembered pages, about. */
const CAPACITY = 50_000
/** What a page takes beside its records, in records. */
const OVERHEAD = 10

/** A page of what a plan matches, and how many that are on all pages. */
export interface Page {
  readonly records: readonly StoredRecord[]
  readonly total: number
}

interface Answer {
  page: Page
  /** How many changes of the table it knows. */
  knows: number
  /** Made when there is something to catch up with. */
  rule: Rule | undefined
}

/** Who belongs to a list, and in which order. */
interface Rule {
  readonly matches: (record: StoredRecord) => boolean
  readonly compare: (a: StoredRecord, b: StoredRecord) => number
}

/**
 * The pages that were asked for last. One that is asked for again first catches up with what has changed since, as a view is
 * maintained from the changes of what it is made from (Blakeley, Larson & Tompa, SIGMOD 1986): so a write costs nothing here,
 * however many pages are remembered, and a page is found anew only when its changes do not tell what it looks like now.
 */
export class QueryCache {
  readonly #changes: RecentChanges
  readonly #kept = new GenerationalCache<Plan, Answer>(CAPACITY, (_, { page }) => page.records.length + OVERHEAD)

  constructor(changes: RecentChanges) {
    this.#changes = changes
  }

  /**
   * The page as it is now.
   *
   * @param plan the same object as when it was remembered
   * @returns undefined when it must be found
   */
  recall(plan: Plan): Page | undefined {
    const answer = this.#kept.get(plan)
    if (answer === undefined) return undefined
    if (answer.knows === this.#changes.count) return answer.page
    const page = this.#caughtUp(plan, answer)
    if (page === undefined) {
      this.#kept.delete(plan)
      return undefined
    }
    answer.page = page
    answer.knows = this.#changes.count
    return page
  }

  /** Remembers a page that was just found. One that depends on other tables is not. */
  remember(plan: Plan, page: Page): void {
    if (plan.filters.some(isRelationFilter)) return
    this.#kept.set(plan, { page, knows: this.#changes.count, rule: undefined })
  }

  #caughtUp(plan: Plan, answer: Answer): Page | undefined {
    const changes = this.#changes.since(answer.knows)
    if (changes === undefined) return undefined
    answer.rule ??= ruleOf(plan)
    let page: Page | undefined = answer.page
    for (const { before, after } of changes) {
      page = page && withChange(page, plan, answer.rule, before, after)
    }
    return page
  }
}

function ruleOf({ filters, sort }: Plan): Rule {
  const tests = filters.flatMap((filter) => (isRelationFilter(filter) ? [] : matcher(filter)))
  return { matches: (record) => tests.every((test) => test(record)), compare: comparer(sort) }
}

/** @returns undefined when it cannot be told, because a record moves onto the page that is not known */
function withChange(
  page: Page,
  plan: Plan,
  { matches, compare }: Rule,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): Page | undefined {
  const was = before !== undefined && matches(before) ? before : undefined
  const is = after !== undefined && matches(after) ? after : undefined
  if (was !== undefined && is !== undefined && compare(was, is) === 0) return replaced(page, was, is)
  const left = was === undefined ? page : without(page, plan, was, compare)
  return is === undefined || left === undefined ? left : having(left, plan, is, compare)
}

/** The same page with a record that stays in its place. */
function replaced(page: Page, was: StoredRecord, is: StoredRecord): Page {
  const place = page.records.indexOf(was)
  return place === -1 ? page : { records: page.records.with(place, is), total: page.total }
}

function without({ records, total }: Page, { offset }: Plan, record: StoredRecord, compare: Rule['compare']): Page | undefined {
  const place = placeIn(records, record, compare)
  if (place === records.length) return { records, total: total - 1 }
  const isLast = offset + records.length >= total
  // What comes before the page, or leaves room on it, moves others onto it.
  if (records[place] !== record || !isLast) return undefined
  return { records: records.toSpliced(place, 1), total: total - 1 }
}

function having({ records, total }: Page, plan: Plan, record: StoredRecord, compare: Rule['compare']): Page | undefined {
  const { offset, limit } = plan
  const place = placeIn(records, record, compare)
  if (place === limit) return { records, total: total + 1 }
  if (place === 0 && offset > 0) return undefined
  return { records: records.toSpliced(place, 0, record).slice(0, limit), total: total + 1 }
}

/** How many of the records, which are in order, come before another. */
function placeIn(records: readonly StoredRecord[], record: StoredRecord, compare: Rule['compare']): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(records[middle] as StoredRecord, record) < 0) low = middle + 1
    else high = middle
  }
  return low
}
