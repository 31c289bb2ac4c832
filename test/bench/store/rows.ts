import { memberValues } from '../data/members.ts'
import { MEMBERS_PATH } from '../data/project.ts'
import { integer, pick, type Random } from '../data/random.ts'
import type { Ask } from '../load/load.ts'
import { filterQuestions, needleQuestions, type Question } from './questions.ts'

/** Returns the reads of a row one by one. */
export type Reads = (records: number, random: Random) => () => Ask

/** A kind of request whose rate is measured. */
export interface Row {
  readonly key: string
  readonly name: string
  /** Minimum ratio to the bare server, by number of records. */
  readonly bars: Readonly<Record<number, number>>
  /** Undefined if the row only creates. */
  readonly reads: Reads | undefined
  /** Number of reads for each create. */
  readonly readsPerCreate: number
}

const PAGES = 100

const everySize = (ratio: number) => ({ 10000: ratio, 100000: ratio, 1000000: ratio })

export const ROWS: readonly Row[] = [
  {
    key: 'read',
    name: 'read one by random id',
    bars: everySize(1),
    reads: (records, random) => () => ({ method: 'GET', path: `${MEMBERS_PATH}/${integer(random, 1, records)}` }),
    readsPerCreate: Number.POSITIVE_INFINITY,
  },
  {
    key: 'list',
    name: 'list, 20 a page, random page of the first 100',
    bars: everySize(0.95),
    reads: (_, random) => () => ({ method: 'GET', path: `${MEMBERS_PATH}?page_size=20&page=${integer(random, 1, PAGES)}` }),
    readsPerCreate: Number.POSITIVE_INFINITY,
  },
  {
    key: 'filter',
    name: 'list, equality + range filter, sort by date descending, exact total',
    bars: { 10000: 0.85, 100000: 0.7, 1000000: 0.3 },
    reads: (_, random) => asking(filterQuestions(), random),
    readsPerCreate: 50,
  },
  {
    key: 'contains',
    name: 'list, __icontains on email, exact total',
    bars: { 10000: 0.6, 100000: 0.5, 1000000: 0.2 },
    reads: (records, random) => asking(needleQuestions(records), random),
    readsPerCreate: 50,
  },
  {
    key: 'create',
    name: 'create, fsynced before the reply, 16 connections',
    bars: everySize(0.5),
    reads: undefined,
    readsPerCreate: 0,
  },
]

/**
 * The requests of a row.
 *
 * @param random chooses the reads
 * @param nextNumber returns the number of the next member to create
 */
export function requestsOf(row: Row, records: number, random: Random, nextNumber: () => number): () => Ask {
  const read = row.reads?.(records, random)
  let readsToGo = row.readsPerCreate
  return () => {
    if (read !== undefined && readsToGo-- > 0) return read()
    readsToGo = row.readsPerCreate
    return createOf(nextNumber())
  }
}

/** The request that creates the member with a number. */
export const createOf = (number: number): Ask => ({
  method: 'POST',
  path: MEMBERS_PATH,
  body: JSON.stringify({ data: memberValues(number) }),
})

const asking = (questions: readonly Question[], random: Random) => (): Ask => ({
  method: 'GET',
  path: pick(random, questions).path,
})
