import { memberValues } from '../data/members.ts'
import { MEMBERS_PATH } from '../data/project.ts'
import { integer, mulberry32, pick, type Random } from '../data/random.ts'
import type { Ask } from '../load/load.ts'
import { filterQuestions, needleQuestions } from '../store/questions.ts'

const PAGES = 100
const BULK = 100

/** What the requests of a row depend on. */
export interface Questions {
  readonly records: number
  readonly random: Random
  /** The number of the next member that this side creates. */
  nextNumber(): number
}

/** A kind of request, sent to both servers. */
export interface PostgresRow {
  readonly key: string
  readonly name: string
  /** Minimum ratio, by number of records; without a number of records, the last one. */
  readonly bar: (records: number) => number
  readonly ours: (questions: Questions) => () => Ask
  /** What the server written by hand is asked; the same if absent. */
  readonly hand?: (questions: Questions) => () => Ask
  /** True for rows after which the project has a webhook. */
  readonly hasWebhook?: true
}

const LARGE = 1_000_000

const pages =
  (path: string) =>
  ({ random }: Questions) =>
  (): Ask => ({ method: 'GET', path: `${path}?page_size=20&page=${integer(random, 1, PAGES)}` })

const asking =
  (questions: (records: number) => readonly { readonly path: string }[]) =>
  ({ records, random }: Questions) => {
    const all = questions(records)
    return (): Ask => ({ method: 'GET', path: pick(random, all).path })
  }

const creates =
  (path: string) =>
  ({ nextNumber }: Questions) =>
  (): Ask => ({ method: 'POST', path, body: JSON.stringify({ data: memberValues(nextNumber()) }) })

export const POSTGRES_ROWS: readonly PostgresRow[] = [
  {
    key: 'pg-read',
    name: 'read one by random id',
    bar: () => 0.8,
    ours:
      ({ records, random }) =>
      () => ({ method: 'GET', path: `${MEMBERS_PATH}/${integer(random, 1, records)}` }),
  },
  {
    key: 'pg-list',
    name: 'list 20 with its total, beside one with count(*)',
    bar: (records) => (records >= LARGE ? 50 : 5),
    ours: pages(MEMBERS_PATH),
  },
  {
    key: 'pg-uncounted',
    name: 'list 20 with its total, beside one without a total',
    bar: () => 0.6,
    ours: pages(MEMBERS_PATH),
    hand: pages('/uncounted'),
  },
  { key: 'pg-filter', name: 'filter, range and sort, with the total', bar: () => 1, ours: asking(filterQuestions) },
  { key: 'pg-contains', name: 'icontains on email, with the total', bar: () => 1, ours: asking(needleQuestions) },
  { key: 'pg-create', name: 'create without webhooks, beside one insert', bar: () => 0.9, ours: creates(MEMBERS_PATH) },
  {
    key: 'pg-hot',
    name: 'update one row from all connections, beside select for update',
    bar: () => 0.4,
    ours:
      ({ nextNumber }) =>
      () => ({ method: 'PUT', path: `${MEMBERS_PATH}/1`, body: JSON.stringify({ data: { bio: `Version ${nextNumber()}` } }) }),
  },
  {
    key: 'pg-bulk',
    name: `create ${BULK} at once, beside one insert of ${BULK} rows`,
    bar: () => 0.6,
    ours:
      ({ nextNumber }) =>
      () => ({
        method: 'POST',
        path: `${MEMBERS_PATH}/bulk`,
        body: JSON.stringify({ records: Array.from({ length: BULK }, () => memberValues(nextNumber())) }),
      }),
  },
  {
    key: 'pg-event',
    name: 'create with an event for a webhook, beside one insert with an outbox',
    bar: () => 0.8,
    ours: creates(MEMBERS_PATH),
    hand: creates('/noted'),
    hasWebhook: true,
  },
]

/** The requests of a slice, the same for both servers except for the numbers of the members that they create. */
export const questionsOf = (records: number, slice: number, nextNumber: () => number): Questions => ({
  records,
  random: mulberry32(100 + slice),
  nextNumber,
})
