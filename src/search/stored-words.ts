import { MAX_LENGTH } from './documents.ts'
import { MORE_TIMES } from './postings.ts'
import type { SearchQuery } from './query.ts'
import { stemOf } from './words/stems.ts'
import { eachToken } from './words/tokens.ts'
import { isSilent, maxDistance } from './words/vocabulary.ts'

/** Version of the rules that make words of texts. Stored words of another version are useless. */
export const WORDS_REVISION = 1

/** A place of a word in a record: the position of the field, and the number of occurrences, up to four. */
interface Occurrence {
  readonly field: number
  times: number
}

/** Words of a record, as a store keeps them. */
export interface RecordWords {
  /** Number of words in each field. */
  readonly lengths: readonly number[]
  readonly words: ReadonlyMap<string, readonly Readonly<Occurrence>[]>
}

/** Makes words of texts, for a store that keeps them. */
export const textAnalyser = { analyse, stemOf }

/** The words of the searched fields of a record, in the order of the fields. */
function analyse(texts: readonly string[]): RecordWords {
  const words = new Map<string, Occurrence[]>()
  const lengths = texts.map((text, field) => {
    let length = 0
    eachToken(text, (word) => {
      if (isSilent(word)) return
      length++
      const places = words.get(word)
      const last = places?.at(-1)
      if (places === undefined) words.set(word, [{ field, times: 1 }])
      else if (last?.field !== field) places.push({ field, times: 1 })
      else if (last.times <= MORE_TIMES) last.times++
    })
    return Math.min(length, MAX_LENGTH)
  })
  return { lengths, words }
}

/** The words of an index that a query may match. */
export interface WantedWords {
  /** These words themselves. */
  readonly words: readonly string[]
  /** All words with these stems. */
  readonly stems: readonly string[]
  /** All words that begin with one of these. */
  readonly prefixes: readonly string[]
  /** All words within an edit distance of one of these. */
  readonly near: readonly { readonly word: string; readonly distance: number }[]
}

/** The words that an index must hold to answer a query. */
export function wantedWords({ words: asked, fuzzy }: SearchQuery): WantedWords {
  const texts = new Set<string>()
  const prefixes = new Set<string>()
  for (const { text, parts, prefix } of asked) {
    if (text !== '') texts.add(text)
    for (const part of parts) texts.add(part)
    const lastPart = parts.at(-1)
    if (prefix && text !== '') prefixes.add(text)
    if (prefix && lastPart !== undefined) prefixes.add(lastPart)
  }
  const stems = new Set([...texts].map(stemOf))
  const near = [...texts].flatMap((word) => {
    const distance = maxDistance(word)
    return fuzzy && distance > 0 ? [{ word, distance }] : []
  })
  return { words: [...new Set([...texts, ...stems])], stems: [...stems], prefixes: [...prefixes], near }
}
