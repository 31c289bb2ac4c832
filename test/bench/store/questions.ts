import { FIRST_NAMES, type Member, member } from '../data/members.ts'
import { MEMBERS_PATH } from '../data/project.ts'
import { integer, mulberry32, pick, type Random } from '../data/random.ts'

/** A list query, with the condition that its members meet, which needs no server. */
export interface Question {
  readonly path: string
  /** Whether a member belongs to the list. */
  readonly matches: (member: Member) => boolean
  readonly order: 'newest first' | 'by id'
}

/** Number of different queries of each kind. */
const QUESTIONS = 240

/** Filters with an equality (two values or fifty) and a range of ages (few values), of scores (many values) or of both; newest first. */
export function filterQuestions(): Question[] {
  const random = mulberry32(11)
  return Array.from({ length: QUESTIONS }, (_, index) => {
    const equality = index % 2 === 0 ? activity(random) : firstName(random)
    const ranges = [[ages], [scores], [ages, scores]][index % 3] ?? []
    const conditions = [equality, ...ranges.map((range) => range(random))]
    const filters = conditions.flatMap((condition) => condition.filters)
    return {
      path: `${listPath(filters)}&sort_by=created_at&sort_order=desc`,
      matches: (member) => conditions.every((condition) => condition.matches(member)),
      order: 'newest first',
    }
  })
}

/** Filters by pieces of existing addresses: of names and domains (many matches), of numbers (few), and of both. */
export function needleQuestions(records: number): Question[] {
  const random = mulberry32(13)
  return Array.from({ length: QUESTIONS }, (_, index) => {
    const { email } = member(integer(random, 1, records))
    const piece = pieceOf(email, index % 3 === 0 ? 'number' : 'anywhere', random)
    const needle = index % 5 === 0 ? piece.toUpperCase() : piece
    return {
      path: listPath([`email__icontains=${needle}`]),
      matches: (member) => member.email.includes(piece),
      order: 'by id',
    }
  })
}

interface Condition {
  readonly filters: readonly string[]
  readonly matches: (member: Member) => boolean
}

function activity(random: Random): Condition {
  const wanted = random() < 0.5
  return { filters: [`is_active=${wanted}`], matches: ({ is_active }) => is_active === wanted }
}

function firstName(random: Random): Condition {
  const wanted = pick(random, FIRST_NAMES)
  return { filters: [`first_name=${wanted}`], matches: ({ first_name }) => first_name === wanted }
}

function ages(random: Random): Condition {
  const from = integer(random, 18, 70)
  const to = from + integer(random, 8, 30)
  return { filters: [`age__gte=${from}`, `age__lt=${to}`], matches: ({ age }) => age >= from && age < to }
}

function scores(random: Random): Condition {
  const from = integer(random, 0, 8000) / 100
  const to = from + integer(random, 1000, 5000) / 100
  const written = Number(to.toFixed(2))
  return { filters: [`score__gte=${from}`, `score__lt=${written}`], matches: ({ score }) => score >= from && score < written }
}

/** A piece of three to eight characters. A piece of the number starts with up to two letters of the name, so that it has three characters. */
function pieceOf(email: string, where: 'number' | 'anywhere', random: Random): string {
  const length = integer(random, 3, 8)
  const digits = email.search(/\d/)
  const start = where === 'number' ? digits - integer(random, 0, 2) : integer(random, 0, email.length - length)
  const end = where === 'number' ? Math.max(start + 3, Math.min(start + length, email.indexOf('@'))) : start + length
  return email.slice(start, end)
}

const listPath = (filters: readonly string[]): string =>
  `${MEMBERS_PATH}?page_size=20${filters.map((filter) => `&filters=${encodeURIComponent(filter)}`).join('')}`
