import { roomFor } from './growing.ts'

const NONE = -1

/** The members of a node: where a word that passes through it begins among all characters, and where the node itself ends in it … */
export const BEGIN = 0
export const END = 1
/** … its own first character, the first of the nodes below it, how many they are, and the word that ends with it (or -1). */
const CHARACTER = 2
export const CHILDREN = 3
export const COUNT = 4
export const WORD = 5
export const WIDTH = 6

/**
 * Words by number, in a radix trie: found whole, by how they begin, and by walking along what they have in common. It grows a
 * word at a time and holds nothing but numbers, so that a million words are no work for a garbage collector.
 *
 * A node is the part of a word from where its parent ends to where it ends itself. Its members are beside each other, and so are the
 * nodes below it, in the order in which they came, since memory is slow where it was not just used: they move when there is no room
 * for one more.
 */
export class Trie {
  /** The nodes that words begin with, by their first character. In scripts with thousands of characters these are many. */
  readonly roots = new Map<number, number>()
  /** All words, one behind the other. */
  #characters = new Uint16Array(1024)
  /** Where each of them begins. */
  #begins = new Int32Array(64)
  #nodes = new Int32Array(64 * WIDTH)
  #usedCharacters = 0
  #usedNodes = 0
  /** The first place that nodes have left, and behind which each next one is found; by how many nodes fit there, as a power of two. */
  readonly #left = new Int32Array(32).fill(NONE)
  #size = 0

  /** How many words there are; they are numbered from 0. */
  get size(): number {
    return this.#size
  }

  get characters(): Uint16Array {
    return this.#characters
  }

  /** All nodes; each is known by where its members begin. */
  get nodes(): Int32Array {
    return this.#nodes
  }

  /** True for a word of these characters: those from `from` and before `to`. */
  spells(word: number, units: Uint16Array, from: number, to: number): boolean {
    const characters = this.#characters
    const begin = this.#begins[word] ?? 0
    const end = word + 1 < this.#size ? this.#begins[word + 1] : this.#usedCharacters
    if (end !== begin + to - from) return false
    for (let at = from; at < to; at++) if (characters[begin + at - from] !== units[at]) return false
    return true
  }

  /** The number of a word of these characters, at least one, which is given one when it has none yet. */
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

  /** Calls `take` with every word that begins so. */
  eachFrom(prefix: string, take: (word: number) => void): void {
    const start = this.#nodeFor(prefix)
    if (start === NONE) return
    const waiting = [start]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const word = this.#member(node, WORD)
      if (word !== NONE) take(word)
      const first = this.#member(node, CHILDREN)
      for (let child = first; child < first + this.#member(node, COUNT) * WIDTH; child += WIDTH) waiting.push(child)
    }
  }

  /** The highest node to which all of a text leads, or -1. It may go on behind the text. */
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

  /** How far a text, which begins at `from`, and a node have the same characters, of which so many are known to be. */
  #common(node: number, known: number, units: Uint16Array, from: number, length: number): number {
    const characters = this.#characters
    const begin = this.#member(node, BEGIN)
    const end = Math.min(this.#member(node, END), length)
    let at = known
    while (at < end && characters[begin + at] === units[from + at]) at++
    return at
  }

  /** The node below another that begins so, or -1. */
  #child(node: number, character: number): number {
    const nodes = this.#nodes
    const first = nodes[node + CHILDREN] ?? 0
    const end = first + (nodes[node + COUNT] ?? 0) * WIDTH
    for (let child = first; child < end; child += WIDTH) if (nodes[child + CHARACTER] === character) return child
    return NONE
  }

  /** A word ends where a node does. */
  #name(node: number, units: Uint16Array, from: number, to: number): number {
    if (this.#member(node, WORD) === NONE) {
      this.#write(units, from, to)
      this.#nodes[node + WORD] = this.#size++
    }
    return this.#member(node, WORD)
  }

  /** Puts a leaf below a node. */
  #branch(node: number, depth: number, units: Uint16Array, from: number, to: number): number {
    const count = this.#member(node, COUNT)
    if (isFull(count)) this.#moveChildren(node, count)
    this.#nodes[node + COUNT] = count + 1
    return this.#leaf(this.#member(node, CHILDREN) + count * WIDTH, units, from, to, depth)
  }

  /** Ends a node earlier, and puts the rest of it below, beside the rest of the word. */
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

  /** Fills a node that ends the next word. @returns its number */
  #leaf(node: number, units: Uint16Array, from: number, to: number, depth: number): number {
    const nodes = this.#nodes
    nodes[node + BEGIN] = this.#write(units, from, to)
    nodes[node + END] = to - from
    nodes[node + CHARACTER] = units[from + depth] ?? 0
    nodes[node + COUNT] = 0
    nodes[node + WORD] = this.#size
    return this.#size++
  }

  /** Gives the nodes below another twice the room. */
  #moveChildren(node: number, count: number): void {
    const children = this.#room(Math.max(1, 2 * count))
    if (count > 0) {
      const before = this.#member(node, CHILDREN)
      this.#copy(before, children, count)
      this.#leave(before, count)
    }
    this.#nodes[node + CHILDREN] = children
  }

  /** Room for so many nodes, which is a power of two. */
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

  /** They are few: `copyWithin` takes longer. */
  #copy(from: number, to: number, count: number): void {
    const nodes = this.#nodes
    for (let member = 0; member < count * WIDTH; member++) nodes[to + member] = nodes[from + member] ?? NONE
  }

  #leave(place: number, count: number): void {
    const power = 31 - Math.clz32(count)
    this.#nodes[place] = this.#left[power] ?? NONE
    this.#left[power] = place
  }

  /** Keeps the characters of the next word. @returns where they begin */
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

/** True when there is no room for one more beside so many: there is for as many as the next power of two. */
const isFull = (count: number): boolean => (count & (count - 1)) === 0
