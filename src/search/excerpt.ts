import type { SearchField } from './scorer.ts'
import { SearchIndex, type TakePosting } from './search-index.ts'

interface StoredWord {
  readonly word: string
  readonly eachPlace: (take: TakePosting) => void
}

/** Words that are kept elsewhere, and records that changed since. */
export interface StoredExcerpt {
  /** Number of records whose words are kept, and of their words in each field. */
  readonly totals: { readonly records: number; readonly words: readonly number[] }
  readonly words: readonly StoredWord[]
  /** Words that count only in records that have one of the others. */
  readonly slight: readonly StoredWord[]
  /** The changed records: their present texts, if they exist, and the numbers of their words that are kept, if any are. */
  readonly changed: readonly {
    readonly id: number
    readonly texts: readonly string[] | undefined
    readonly lengths: readonly number[] | undefined
  }[]
}

/**
 * An index that holds the words of one query only. It answers this query as an index of all words does.
 *
 * @param fields the searched fields, in the order of the kept places
 */
export function excerptIndex(fields: readonly SearchField[], { totals, words, slight, changed }: StoredExcerpt): SearchIndex {
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
    const unlessOutdated = (take: TakePosting) =>
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
