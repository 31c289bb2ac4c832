import assert from 'node:assert/strict'
import { type Member, member, memberValues } from '../data/members.ts'
import { MEMBERS_PATH } from '../data/project.ts'
import { integer, mulberry32 } from '../data/random.ts'
import { askJson } from '../load/ask.ts'
import type { Target } from '../load/load.ts'
import { filterQuestions, needleQuestions, type Question } from './questions.ts'
import { createOf } from './rows.ts'

const PAGE_SIZE = 20
/** Every so many questions one is checked; prime to the periods in which their kinds repeat. */
const STEP = 11

interface Page {
  readonly data: readonly Member[]
  readonly total: number
}

/**
 * Holds what a server answers against what it must, before anything is timed: records, pages, totals and their order, and a
 * create that is read back.
 *
 * @returns how many members were created
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
 * Holds totals against what they must be after all the creates: members 1 to `count` are there, and nobody else.
 *
 * @param records how many there were at the beginning
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

/** Goes through all members once and notes for each question how many there are and who comes first. */
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

/** Puts a member where it belongs among the first of a list; who has the higher id comes later among equals. */
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
