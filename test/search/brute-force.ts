import lunr from 'lunr'
import { integer, pick, type Random } from '../bench/data/random.ts'

/** A record whose texts are words with spaces between them. */
export interface Paper {
  readonly id: number
  readonly title: string
  readonly body: string
}

const LETTERS = 'aabcdeeilnorst'

/** Words that have much in common, so that many are near each other. None of them is a stop word. */
export function makeWords(random: Random, count: number): string[] {
  const words = new Set<string>()
  while (words.size < count) {
    const length = integer(random, 2, 9)
    const word = Array.from({ length }, () => pick(random, [...LETTERS])).join('')
    const ending = pick(random, ['', '', 's', 'ed', 'ing', 'ation', '7'])
    if (!isStopWord(word + ending)) words.add(word + ending)
  }
  return [...words]
}

export function makePaper(random: Random, id: number, words: readonly string[]): Paper {
  const text = (most: number) => Array.from({ length: integer(random, 0, most) }, () => pick(random, words)).join(' ')
  return { id, title: text(4), body: text(20) }
}

/** A word with one or two slips in it. */
export function misspelt(random: Random, word: string): string {
  let result = word
  for (let slips = integer(random, 1, 2); slips > 0; slips--) result = slip(random, result)
  return result === '' ? word : result
}

function slip(random: Random, word: string): string {
  const at = integer(random, 0, Math.max(0, word.length - 1))
  const letter = pick(random, [...LETTERS])
  return pick(random, [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + letter + word.slice(at),
    word.slice(0, at) + letter + word.slice(at + 1),
    word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
  ])
}

/**
 * The unrestricted Damerau–Levenshtein distance, by the whole table (R. Lowrance and R. Wagner, 1975).
 */
export function distanceOf(a: string, b: string): number {
  const far = a.length + b.length
  const width = b.length + 2
  const table = new Uint8Array((a.length + 2) * width).fill(far)
  const at = (row: number, column: number): number => table[(row + 1) * width + column + 1] ?? far
  const put = (row: number, column: number, value: number) => {
    table[(row + 1) * width + column + 1] = value
  }
  for (let row = 0; row <= a.length; row++) put(row, 0, row)
  for (let column = 0; column <= b.length; column++) put(0, column, column)
  const lastRow = new Map<string, number>()
  for (let row = 1; row <= a.length; row++) {
    let lastColumn = 0
    for (let column = 1; column <= b.length; column++) {
      const [otherRow, otherColumn] = [lastRow.get(b[column - 1] ?? '') ?? 0, lastColumn]
      const same = a[row - 1] === b[column - 1]
      if (same) lastColumn = column
      const swapped = at(otherRow - 1, otherColumn - 1) + (row - otherRow - 1) + 1 + (column - otherColumn - 1)
      const others = [at(row - 1, column - 1) + (same ? 0 : 1), at(row, column - 1) + 1, at(row - 1, column) + 1]
      put(row, column, Math.min(...others, otherRow > 0 && otherColumn > 0 ? swapped : far))
    }
    lastRow.set(a[row - 1] ?? '', row)
  }
  return at(a.length, b.length)
}

export type Way = 'exact' | 'prefix' | 'fuzzy'

const isStopWord = (word: string): boolean => lunr.stopWordFilter(new lunr.Token(word, {})) === undefined

/** Stop words have no other forms. */
const stem = (word: string): string =>
  /^[a-z]{3,}$/.test(word) && !isStopWord(word) ? lunr.stemmer(new lunr.Token(word, {})).toString() : word

/** How well a word of a text answers to one that is looked for: 0 exactly, 1 inflected, 2 by its beginning, 3 and 4 by one or two slips. */
export function gradeOf(wanted: string, word: string, ways: readonly Way[]): number | undefined {
  if (wanted === word) return 0
  if (!isStopWord(wanted) && stem(wanted) === stem(word)) return 1
  if (ways.includes('prefix') && word.startsWith(wanted)) return 2
  const allowed = wanted.length < 3 ? 0 : wanted.length < 6 ? 1 : 2
  const distance = ways.includes('fuzzy') && Math.abs(wanted.length - word.length) <= 2 ? distanceOf(wanted, word) : Number.NaN
  return distance <= allowed ? 2 + distance : undefined
}

/** The best grade of any word of a paper, of grades by word. */
export function bestGrade({ title, body }: Paper, grades: ReadonlyMap<string, number>): number | undefined {
  const found = `${title} ${body}`.split(' ').flatMap((word) => grades.get(word) ?? [])
  return found.length === 0 ? undefined : Math.min(...found)
}
