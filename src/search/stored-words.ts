import { MAX_LENGTH } from './documents.ts'
import { EditDistance } from './edit-distance.ts'
import { MORE_TIMES } from './postings.ts'
import type { ParsedSearch } from './query.ts'
import { beginsStopWords, isStopWord, STOP_WORDS, stemOf } from './stems.ts'
import { searchedPart } from './text-of.ts'
import { tokenSteps, unitsOf } from './tokens.ts'
import { Trie } from './trie.ts'
import { maxDistance } from './vocabulary.ts'

/** Version of the rules that make words of texts. Stored words of another version are useless. */
export const WORDS_REVISION = 2

/** A place of a word in a record: the position of the field, and the number of occurrences, up to four. */
interface Occurrence {
  readonly field: number
  times: number
}

/** Words of a record, as a store keeps them. */
export interface IndexedWords {
  /** Number of words in each field. */
  readonly lengths: readonly number[]
  readonly words: ReadonlyMap<string, readonly Readonly<Occurrence>[]>
}

/** Makes words of texts, for a store that keeps them. */
export const textAnalyser = { analyse, stemOf }

/**
 * The words of the searched fields of a record, in the order of the fields.
 *
 * @param pause called after each step of at most a few milliseconds
 */
async function analyse(texts: readonly string[], pause: () => Promise<unknown>): Promise<IndexedWords> {
  const words = new Map<string, Occurrence[]>()
  const lengths: number[] = []
  for (const [field, text] of texts.entries()) {
    let length = 0
    const take = (word: string) => {
      if (word === '') return
      length++
      const places = words.get(word)
      const last = places?.at(-1)
      if (places === undefined) words.set(word, [{ field, times: 1 }])
      else if (last?.field !== field) places.push({ field, times: 1 })
      else if (last.times <= MORE_TIMES) last.times++
    }
    for (const _ of tokenSteps(searchedPart(text), take)) await pause()
    lengths.push(Math.min(length, MAX_LENGTH))
  }
  return { lengths, words }
}

/** The words of an index that a query may match. */
export interface WantedWords {
  /** These words themselves. */
  readonly words: readonly string[]
  /** All words with these stems. */
  readonly stems: readonly string[]
  /** All words that begin with one of these, but for some. */
  readonly prefixes: readonly { readonly prefix: string; readonly except: readonly string[] }[]
  /** Words that count only in records that have other wanted words. */
  readonly slight: readonly string[]
  /** All words within an edit distance of one of these. */
  readonly near: readonly { readonly word: string; readonly distance: 1 | 2 }[]
  /** Those of some words that are within such a distance. */
  readonly nearOf: (candidates: readonly string[]) => readonly string[]
}

/** The words that an index must hold to answer a query. */
export function wantedWords({ words: asked, slight, fuzzy }: ParsedSearch): WantedWords {
  const texts = new Set<string>()
  const prefixes = new Set<string>()
  for (const { text, parts, prefix } of asked) {
    if (text !== '') texts.add(text)
    for (const part of parts) texts.add(part)
    const lastPart = parts.at(-1)
    if (prefix && text !== '') prefixes.add(text)
    if (prefix && lastPart !== undefined) prefixes.add(lastPart)
  }
  // Stop words match as they are only.
  const stems = new Set([...texts].filter((word) => !isStopWord(word)).map(stemOf))
  const bases = [...stems].filter((stem) => !isStopWord(stem))
  const near = [...texts].flatMap((word) => {
    const distance = maxDistance(word)
    return fuzzy && distance !== 0 ? [{ word, distance }] : []
  })
  const nearOf = (candidates: readonly string[]) => nearWords(near, candidates)
  return {
    words: [...new Set([...texts, ...bases])],
    stems: [...stems],
    prefixes: [...prefixes].map((prefix) => ({ prefix, except: exceptions(prefix) })),
    slight,
    near,
    nearOf,
  }
}

const exceptions = (prefix: string): readonly string[] =>
  beginsStopWords(prefix) ? [] : STOP_WORDS.filter((word) => word.startsWith(prefix))

function nearWords(near: WantedWords['near'], candidates: readonly string[]): string[] {
  const trie = new Trie()
  for (const word of candidates) trie.add(unitsOf(word), 0, word.length)
  const edits = new EditDistance(trie)
  const found = new Set<string>()
  for (const { word, distance } of near) edits.eachNear(word, distance, (number) => found.add(candidates[number] ?? ''))
  return [...found].filter((word) => !isStopWord(word))
}
