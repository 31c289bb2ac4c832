import assert from 'node:assert/strict'
import { type Member, member, memberValues } from '../data/members.ts'
import { MEMBERS_PATH } from '../data/project.ts'
import { integer, mulberry32 } from '../data/random.ts'
import { askJson } from '../load/ask.ts'
import type { Target } from '../load/load.ts'
import { filterQuestions, needleQuestions, type Question } from './questions.ts'
import { createOf } from './rows.ts'

const PAGE_SIZE = 20
/** One of this number of queries is checked. It is coprime to the periods of their kinds. */
const STEP = 11

interface Page {
  readonly data: readonly Member[]
  readonly total: number
}

/**
 * Verifies the responses of a server before the measurement: records, pages, totals, sort order, and reading back a created record.
 *
 * @returns the number of created members
 * @throws {AssertionError} naming the request
 */
export async function checkAnswers(target: Target, records: number): Promise<number> {
  const random = mulberry32(17)
  for (let count = 0; count < 20; count++) {
    const id = integer(random, 1, records)
    const { data } = await askJson<{ data: Member }>(target, { method: 'GET', path: `${MEMBERS_PATH}/${id}` })
    assert.deepEqual(data, member(id), `member ${id}`)
  }
  for (const page of [1, 2, 57, 100]) {
    const path = `${MEMBERS_PATH}?page_size=${PAGE_SIZE}&page=${page}`
    const { data, total } = await askJson<Page>(target, { method: 'GET', path })
    const first = (page - 1) * PAGE_SIZE + 1
    const expected = Array.from({ length: PAGE_SIZE }, (_, index) => first + index).filter((id) => id <= records)
    assert.deepEqual({ ids: idsOf(data), total }, { ids: expected, total: records }, path)
  }
  const questions = sampleOf(records)
  const expected = answersTo(questions, records)
  for (const [index, { path }] of questions.entries()) {
    const { data, total } = await askJson<Page>(target, { method: 'GET', path })
    assert.deepEqual({ total, ids: idsOf(data) }, expected[index], path)
  }
  const number = records + 1
  const created = await askJson<{ data: Member }>(target, createOf(number))
  const readBack = await askJson<{ data: Member }>(target, { method: 'GET', path: `${MEMBERS_PATH}/${created.data.id}` })
  assert.deepEqual(readBack, created)
  assert.deepEqual({ ...readBack.data, ...memberValues(number) }, readBack.data, 'the member that was created')
  return 1
}

/**
 * Verifies totals after all creates: exactly the members 1 to `count` exist.
 *
 * @param records the number of members at the beginning
 */
export async function checkTotals(target: Target, records: number, count: number): Promise<void> {
  const all: Question = { path: `${MEMBERS_PATH}?page_size=1`, matches: () => true, order: 'by id' }
  const questions = [all, ...sampleOf(records)]
  const expected = answersTo(questions, count)
  for (const [index, { path }] of questions.entries()) {
    const { total } = await askJson<Page>(target, { method: 'GET', path })
    assert.equal(total, expected[index]?.total, `total of ${path} after ${count - records} creates`)
  }
}

const sampleOf = (records: number): Question[] =>
  [...filterQuestions(), ...needleQuestions(records)].filter((_, index) => index % STEP === 0)

/** Computes the total and the first page of each query, in one pass over all members. */
function answersTo(questions: readonly Question[], count: number): { total: number; ids: number[] }[] {
  const answers = questions.map(({ matches, order }) => ({ matches, order, total: 0, first: [] as Member[] }))
  for (let number = 1; number <= count; number++) {
    const each = member(number)
    for (const answer of answers) {
      if (!answer.matches(each)) continue
      answer.total++
      insert(answer.first, each, answer.order)
    }
  }
  return answers.map(({ total, first }) => ({ total, ids: idsOf(first) }))
}

/** Inserts a member into the first page of a list. Among equal members, the higher id comes later. */
function insert(first: Member[], added: Member, order: Question['order']): void {
  if (order === 'by id') {
    if (first.length < PAGE_SIZE) first.push(added)
    return
  }
  let place = first.length
  while (place > 0 && (first[place - 1]?.created_at ?? '') < added.created_at) place--
  if (place === PAGE_SIZE) return
  first.splice(place, 0, added)
  first.length = Math.min(first.length, PAGE_SIZE)
}

const idsOf = (list: readonly { readonly id: number }[]): number[] => list.map(({ id }) => id)
