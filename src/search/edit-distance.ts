import { MAX_WORD } from './tokens.ts'
import { BEGIN, CHILDREN, COUNT, END, WIDTH as NODE, type Trie, WORD } from './trie.ts'

const WIDTH = MAX_WORD + 4

/** Maximum edit distance of a word: one from 3 letters on, two from 6 letters on (AUTO in Elasticsearch). */
export const maxDistance = (word: string): 0 | 1 | 2 => (word.length < 3 ? 0 : word.length < 6 ? 1 : 2)

/**
 * Finds the words of a trie within a Damerau–Levenshtein distance of one or two: insertions, deletions, substitutions, and
 * transpositions of neighbours, between which characters may be inserted or deleted (F. J. Damerau, 1964; the unrestricted
 * distance).
 *
 * Words share the work for common prefixes: each node's character has one row of the table, and only cells near the diagonal
 * are computed. A node without a cell within the distance is skipped with its whole subtree.
 */
export class EditDistance {
  readonly #trie: Trie
  /** Rows of the table: for the empty prefix, the first character, and so on. */
  readonly #rows = new Uint8Array((MAX_WORD + 1) * WIDTH)
  readonly #path = new Uint16Array(MAX_WORD + 1)
  readonly #wanted = new Uint16Array(MAX_WORD)
  #length = 0
  #limit = 0
  #take: (word: number, distance: number) => void = () => {}

  constructor(trie: Trie) {
    this.#trie = trie
  }

  /** Calls `take` with every word within distance `limit`, and its distance; 0 is the word itself. */
  eachNear(word: string, limit: 1 | 2, take: (word: number, distance: number) => void): void {
    this.#length = word.length
    this.#limit = limit
    this.#take = take
    for (let at = 0; at < word.length; at++) this.#wanted[at] = word.charCodeAt(at)
    this.#rows.fill(limit + 1, 0, WIDTH)
    for (let column = 0; column <= Math.min(limit, word.length); column++) this.#rows[column] = column
    for (const root of this.#trie.roots.values()) this.#walk(root, 0)
  }

  #walk(node: number, above: number): void {
    const { nodes, characters } = this.#trie
    const begin = nodes[node + BEGIN] ?? 0
    const end = nodes[node + END] ?? 0
    for (let depth = above + 1; depth <= end; depth++) {
      if (depth > this.#length + this.#limit) return
      this.#path[depth] = characters[begin + depth - 1] ?? 0
      if (!this.#isNear(depth)) return
    }
    const word = nodes[node + WORD] ?? -1
    if (word !== -1 && Math.abs(end - this.#length) <= this.#limit) {
      const distance = this.#rows[end * WIDTH + this.#length] ?? 0
      if (distance <= this.#limit) this.#take(word, distance)
    }
    const first = nodes[node + CHILDREN] ?? 0
    const last = first + (nodes[node + COUNT] ?? 0) * NODE
    for (let child = first; child < last; child += NODE) this.#walk(child, end)
  }

  /**
   * Computes the row of a character.
   *
   * @returns false if no word below this node can be within the distance
   */
  #isNear(row: number): boolean {
    const rows = this.#rows
    const path = this.#path
    const wanted = this.#wanted
    const limit = this.#limit
    const far = limit + 1
    const low = Math.max(1, row - limit)
    const high = Math.min(this.#length, row + limit)
    const here = row * WIDTH
    const up = here - WIDTH
    const character = path[row] ?? 0
    const before = path[row - 1] ?? 0
    rows[here + low - 1] = low === 1 ? Math.min(row, far) : far
    rows[here + high + 1] = far
    let least = low === 1 ? Math.min(row, far) : far
    for (let column = low; column <= high; column++) {
      const target = wanted[column - 1] ?? 0
      let cost = (rows[up + column - 1] ?? far) + (character === target ? 0 : 1)
      cost = Math.min(cost, (rows[up + column] ?? far) + 1, (rows[here + column - 1] ?? far) + 1)
      if (row > 1 && column > 1) {
        if (before === target && character === wanted[column - 2])
          cost = Math.min(cost, (rows[up - WIDTH + column - 2] ?? far) + 1)
        if (row > 2 && path[row - 2] === target && character === wanted[column - 2]) {
          cost = Math.min(cost, (rows[up - 2 * WIDTH + column - 2] ?? far) + 2)
        }
        if (column > 2 && before === target && character === wanted[column - 3]) {
          cost = Math.min(cost, (rows[up - WIDTH + column - 3] ?? far) + 2)
        }
      }
      cost = Math.min(cost, far)
      rows[here + column] = cost
      if (cost < least) least = cost
    }
    return least <= limit
  }
}
