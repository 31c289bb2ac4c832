import type { RecordWords, StoredWord, StoredWords, TakePlace, WordSelection } from '../store/search-storage.ts'
import { MAX_LENGTH } from './documents.ts'
import { EditDistance, maxDistance } from './edit-distance.ts'
import { MORE_TIMES } from './postings.ts'
import type { ParsedSearch } from './query.ts'
import type { SearchField } from './scorer.ts'
import { SearchIndex } from './search-index.ts'
import { beginsStopWords, isStopWord, STOP_WORDS, stemOf } from './stems.ts'
import { searchedPart, tokenSteps, unitsOf } from './tokens.ts'
import { Trie } from './trie.ts'

/** Version of the rules that make words of texts. Stored words of another version are useless. */
export const WORDS_REVISION = 2

/** Makes words of texts, for a store that keeps them. */
export const textAnalyser = { analyse, stemOf }

/**
 * The words of the searched fields of a record, in the order of the fields.
 *
 * @param pause called after each step of at most a few milliseconds
 */
async function analyse(texts: readonly string[], pause: () => Promise<unknown>): Promise<RecordWords> {
  const words = new Map<string, { readonly field: number; times: number }[]>()
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

/** The words that an index must hold to answer a query. */
export function wantedWords({ words: asked, slight, fuzzy }: ParsedSearch): WordSelection {
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

function nearWords(
  near: readonly { readonly word: string; readonly distance: 1 | 2 }[],
  candidates: readonly string[],
): string[] {
  const trie = new Trie()
  for (const word of candidates) trie.add(unitsOf(word), 0, word.length)
  const edits = new EditDistance(trie)
  const found = new Set<string>()
  for (const { word, distance } of near) edits.eachNear(word, distance, (number) => found.add(candidates[number] ?? ''))
  return [...found].filter((word) => !isStopWord(word))
}

/**
 * An index that holds the words of one query only. It answers this query as an index of all words does.
 *
 * @param fields the searched fields, in the order of the kept places
 */
export function excerptIndex(
  fields: readonly SearchField[],
  { totals, words, slight, changed }: Omit<StoredWords, 'isComplete'>,
): SearchIndex {
  const outdated = new Set<number>()
  const lengths = [...totals.words]
  let { records } = totals
  for (const change of changed) {
    outdated.add(change.id)
    if (change.lengths === undefined) continue
    records--
    for (const [field, length] of change.lengths.entries()) lengths[field] = (lengths[field] ?? 0) - length
  }
  const index = new SearchIndex(fields, { records, words: lengths })
  const load = ({ word, eachPlace }: StoredWord, isSlight: boolean) => {
    const unlessOutdated = (take: TakePlace) =>
      eachPlace((id, ...place) => {
        if (!outdated.has(id)) take(id, ...place)
      })
    index.load(word, unlessOutdated, isSlight)
  }
  for (const word of words) load(word, false)
  // After the others, whose records are known then.
  for (const word of slight) load(word, true)
  for (const { id, texts } of changed) {
    if (texts !== undefined) index.replace(id, Object.fromEntries(fields.map(({ name }, at) => [name, texts[at] ?? ''])))
  }
  return index
}
