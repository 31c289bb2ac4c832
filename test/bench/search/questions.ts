import { member } from '../data/members.ts'
import { integer, mulberry32, pick, type Random } from '../data/random.ts'

/** The kinds of searches that are measured. Each engine has its own syntax for them. */
export const KINDS = ['exact', 'prefix', 'two words', 'fuzzy'] as const
export type Kind = (typeof KINDS)[number]

const QUESTIONS = 200

/** Random queries of a kind: words from all fields of existing members, as frequent as in the records. */
export function questionsOf(kind: Kind, records: number): string[] {
  const random = mulberry32(41)
  return Array.from({ length: QUESTIONS }, () => questionOf(kind, random, records))
}

function questionOf(kind: Kind, random: Random, records: number): string {
  const { username, first_name, last_name, bio } = member(integer(random, 1, records))
  const words = bio
    .split(/\W+/)
    .slice(1, -1)
    .filter((word) => word.length > 2)
  if (kind === 'two words') return words.slice(0, 2).join(' ')
  const word = pick(random, [...words, username.split('.')[1] ?? '', first_name, last_name])
  if (kind === 'prefix') return word.slice(0, Math.max(2, word.length >> 1))
  return kind === 'fuzzy' ? misspelt(random, word) : word
}

/** Replaces or removes one letter of a word. */
function misspelt(random: Random, word: string): string {
  const at = integer(random, 1, word.length - 1)
  return word.slice(0, at) + (random() < 0.5 ? 'x' : '') + word.slice(at + 1)
}
