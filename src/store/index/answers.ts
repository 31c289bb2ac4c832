import type { FieldFilter } from '../../query/plan.ts'
import type { RowSet } from './row-set.ts'

/** A condition on part of a text. */
export type PartFilter = FieldFilter & { readonly operator: 'icontains' | 'endswith' }

/** How many answers are remembered, those asked for last. */
const MAX_ANSWERS = 512

/** The rows that were found for a filter. */
interface Answer {
  readonly operator: PartFilter['operator']
  /** In lower case where case does not count. */
  readonly part: string
  readonly rows: RowSet
  /** A gram that every text must have that belongs to it; undefined when any text may. */
  readonly gram: number | undefined
}

/** Answers to questions about parts of texts, kept true with every text that comes or goes. */
export class Answers {
  readonly #byFilter = new Map<string, Answer>()
  /** Under each gram the answers that a text with it may belong to. */
  readonly #byGram = new Map<number | undefined, Set<Answer>>()

  get(filter: PartFilter): RowSet | undefined {
    return this.#byFilter.get(keyOf(filter))?.rows
  }

  /** Remembers an answer, or that it was asked for again. */
  remember(filter: PartFilter, rows: RowSet, gram: number | undefined): void {
    const key = keyOf(filter)
    const part = String(filter.value)
    const known = this.#byFilter.get(key)
    const answer = known ?? {
      operator: filter.operator,
      part: filter.operator === 'icontains' ? part.toLowerCase() : part,
      rows,
      gram,
    }
    // Put back at the end, so that the map is in the order of last use.
    this.#byFilter.delete(key)
    this.#byFilter.set(key, answer)
    if (known === undefined) this.#byGram.set(gram, (this.#byGram.get(gram) ?? new Set()).add(answer))
    if (this.#byFilter.size > MAX_ANSWERS) this.#forgetStalest()
  }

  /** Adds a row to the answers that its text belongs to. */
  add(row: number, text: string, grams: Iterable<number>): void {
    const lower = text.toLowerCase()
    for (const { operator, part, rows } of this.#concerned(grams)) {
      if (operator === 'icontains' ? lower.includes(part) : text.endsWith(part)) rows.add(row)
    }
  }

  remove(row: number, grams: Iterable<number>): void {
    for (const { rows } of this.#concerned(grams)) rows.remove(row)
  }

  *#concerned(grams: Iterable<number>): Generator<Answer> {
    yield* this.#byGram.get(undefined) ?? []
    for (const gram of grams) yield* this.#byGram.get(gram) ?? []
  }

  #forgetStalest(): void {
    const [stalest] = this.#byFilter
    if (stalest === undefined) return
    const [key, answer] = stalest
    this.#byFilter.delete(key)
    const others = this.#byGram.get(answer.gram)
    others?.delete(answer)
    if (others?.size === 0) this.#byGram.delete(answer.gram)
  }
}

const keyOf = ({ operator, value }: PartFilter): string => `${operator} ${value}`
