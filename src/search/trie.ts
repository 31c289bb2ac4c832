import { roomFor } from './growing.ts'

const NONE = -1

/** Members of a node: the start of a word through it in the character array, and the end of the node within that word … */
export const BEGIN = 0
export const END = 1
/** … its first character, its first child, the number of children, and the word that ends here (or -1). */
const CHARACTER = 2
export const CHILDREN = 3
export const COUNT = 4
export const WORD = 5
export const WIDTH = 6

/**
 * A radix trie of numbered words: exact lookup, prefix lookup, and traversal along common prefixes. It only grows and consists
 * of numbers, so that a million words cost no garbage collection.
 *
 * A node is the part of a word between the end of its parent and its own end. Its members, and the children of a node, are
 * adjacent in memory for locality; children move when their space is full.
 */
export class Trie {
  /** The first-level nodes by character, of which some scripts have thousands. */
  readonly roots = new Map<number, number>()
  /** The characters of all words. */
  #characters = new Uint16Array(1024)
  /** Start of each word. */
  #begins = new Int32Array(64)
  #nodes = new Int32Array(64 * WIDTH)
  #usedCharacters = 0
  #usedNodes = 0
  /** Free lists of node blocks, by the power of two of their size. */
  readonly #left = new Int32Array(32).fill(NONE)
  #size = 0

  /** Number of words; they are numbered from 0. */
  get size(): number {
    return this.#size
  }

  get characters(): Uint16Array {
    return this.#characters
  }

  /** All nodes; a node is identified by the index of its members. */
  get nodes(): Int32Array {
    return this.#nodes
  }

  /** True if the word consists of the characters from `from` up to but not including `to`. */
  spells(word: number, units: Uint16Array, from: number, to: number): boolean {
    const characters = this.#characters
    const begin = this.#begins[word] ?? 0
    const end = word + 1 < this.#size ? this.#begins[word + 1] : this.#usedCharacters
    if (end !== begin + to - from) return false
    for (let at = from; at < to; at++) if (characters[begin + at - from] !== units[at]) return false
    return true
  }

  /** Returns the number of a non-empty word, adding it if necessary. */
  add(units: Uint16Array, from: number, to: number): number {
    const first = units[from] ?? 0
    let node = this.roots.get(first)
    if (node === undefined) {
      const root = this.#room(1)
      this.roots.set(first, root)
      return this.#leaf(root, units, from, to, 0)
    }
    const length = to - from
    let depth = 0
    for (;;) {
      depth = this.#common(node, depth + 1, units, from, length)
      if (depth < this.#member(node, END)) return this.#split(node, depth, units, from, to)
      if (depth === length) return this.#name(node, units, from, to)
      const child = this.#child(node, units[from + depth] ?? 0)
      if (child === NONE) return this.#branch(node, depth, units, from, to)
      node = child
    }
  }

  /** Calls `take` with every word that begins with the prefix. */
  eachFrom(prefix: string, take: (word: number) => void): void {
    const start = this.#nodeFor(prefix)
    if (start === NONE) return
    const nodes = this.#nodes
    const waiting = [start]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const word = nodes[node + WORD] ?? NONE
      if (word !== NONE) take(word)
      const first = nodes[node + CHILDREN] ?? 0
      const end = first + (nodes[node + COUNT] ?? 0) * WIDTH
      for (let child = first; child < end; child += WIDTH) waiting.push(child)
    }
  }

  /** The topmost node below which all words begin with the text, or -1. */
  #nodeFor(text: string): number {
    const units = new Uint16Array(text.length)
    for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at)
    let node = this.roots.get(units[0] ?? 0) ?? NONE
    for (let depth = 0; node !== NONE; node = this.#child(node, units[depth] ?? 0)) {
      depth = this.#common(node, depth + 1, units, 0, units.length)
      if (depth === units.length) return node
      if (depth < this.#member(node, END)) return NONE
    }
    return NONE
  }

  /** Length of the common prefix of a text, which begins at `from`, and a node; `known` characters are known to be equal. */
  #common(node: number, known: number, units: Uint16Array, from: number, length: number): number {
    const characters = this.#characters
    const begin = this.#member(node, BEGIN)
    const end = Math.min(this.#member(node, END), length)
    let at = known
    while (at < end && characters[begin + at] === units[from + at]) at++
    return at
  }

  /** The child that begins with the character, or -1. */
  #child(node: number, character: number): number {
    const nodes = this.#nodes
    const first = nodes[node + CHILDREN] ?? 0
    const end = first + (nodes[node + COUNT] ?? 0) * WIDTH
    for (let child = first; child < end; child += WIDTH) if (nodes[child + CHARACTER] === character) return child
    return NONE
  }

  /** Ends a word at an existing node. */
  #name(node: number, units: Uint16Array, from: number, to: number): number {
    if (this.#member(node, WORD) === NONE) {
      this.#write(units, from, to)
      this.#nodes[node + WORD] = this.#size++
    }
    return this.#member(node, WORD)
  }

  /** Adds a leaf as a child. */
  #branch(node: number, depth: number, units: Uint16Array, from: number, to: number): number {
    const count = this.#member(node, COUNT)
    if (isFull(count)) this.#moveChildren(node, count)
    this.#nodes[node + COUNT] = count + 1
    return this.#leaf(this.#member(node, CHILDREN) + count * WIDTH, units, from, to, depth)
  }

  /** Splits a node: its rest and the rest of the word become children. */
  #split(node: number, depth: number, units: Uint16Array, from: number, to: number): number {
    const isWhole = depth === to - from
    const rest = this.#room(isWhole ? 1 : 2)
    this.#copy(node, rest, 1)
    const nodes = this.#nodes
    nodes[rest + CHARACTER] = this.#characters[this.#member(node, BEGIN) + depth] ?? 0
    nodes[node + CHILDREN] = rest
    nodes[node + COUNT] = 1
    nodes[node + END] = depth
    nodes[node + WORD] = NONE
    if (isWhole) return this.#name(node, units, from, to)
    nodes[node + COUNT] = 2
    return this.#leaf(rest + WIDTH, units, from, to, depth)
  }

  /**
   * Fills a leaf for the next word.
   *
   * @returns its number
   */
  #leaf(node: number, units: Uint16Array, from: number, to: number, depth: number): number {
    const nodes = this.#nodes
    nodes[node + BEGIN] = this.#write(units, from, to)
    nodes[node + END] = to - from
    nodes[node + CHARACTER] = units[from + depth] ?? 0
    nodes[node + COUNT] = 0
    nodes[node + WORD] = this.#size
    return this.#size++
  }

  /** Doubles the space of a node's children. */
  #moveChildren(node: number, count: number): void {
    const children = this.#room(Math.max(1, 2 * count))
    if (count > 0) {
      const before = this.#member(node, CHILDREN)
      this.#copy(before, children, count)
      this.#leave(before, count)
    }
    this.#nodes[node + CHILDREN] = children
  }

  /** Allocates this many nodes, a power of two. */
  #room(count: number): number {
    const power = 31 - Math.clz32(count)
    const left = this.#left[power] ?? NONE
    if (left !== NONE) {
      this.#left[power] = this.#member(left, 0)
      return left
    }
    const place = this.#usedNodes
    this.#usedNodes += count * WIDTH
    this.#nodes = roomFor(this.#nodes, this.#usedNodes)
    return place
  }

  /** `copyWithin` takes longer for so few. */
  #copy(from: number, to: number, count: number): void {
    const nodes = this.#nodes
    for (let member = 0; member < count * WIDTH; member++) nodes[to + member] = nodes[from + member] ?? NONE
  }

  #leave(place: number, count: number): void {
    const power = 31 - Math.clz32(count)
    this.#nodes[place] = this.#left[power] ?? NONE
    this.#left[power] = place
  }

  /**
   * Stores the characters of the next word.
   *
   * @returns where they begin
   */
  #write(units: Uint16Array, from: number, to: number): number {
    const begin = this.#usedCharacters
    this.#begins = roomFor(this.#begins, this.#size)
    this.#begins[this.#size] = begin
    this.#usedCharacters += to - from
    this.#characters = roomFor(this.#characters, this.#usedCharacters)
    const characters = this.#characters
    for (let at = from; at < to; at++) characters[begin + at - from] = units[at] ?? 0
    return begin
  }

  #member(node: number, member: number): number {
    return this.#nodes[node + member] ?? NONE
  }
}

/** True if the space for children is full: it is always a power of two. */
const isFull = (count: number): boolean => (count & (count - 1)) === 0
