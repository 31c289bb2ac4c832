import { roomFor } from './growing.ts'

const NONE = -1

/** The members of a node: where a word that passes through it begins among all characters, and where the node itself ends in it … */
export const BEGIN = 0
export const END = 1
/** … its own first character, the first node below it, the next one beside it, and the word that ends with it (or -1). */
const CHARACTER = 2
export const CHILD = 3
export const SIBLING = 4
export const WORD = 5
const WIDTH = 6

/**
 * Words by number, in a radix trie: found whole, by how they begin, and by walking along what they have in common. It grows a
 * word at a time and holds nothing but numbers, so that a million words are no work for a garbage collector.
 *
 * A node is the part of a word from where its parent ends to where it ends itself; the members of a node are beside each other,
 * since memory is slow where it was not just used.
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
      this.roots.set(first, this.#leaf(units, from, to, 0))
      return this.#size - 1
    }
    const length = to - from
    let depth = 0
    for (;;) {
      depth = this.#common(node, depth, units, from, length)
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
      for (let child = this.#member(node, CHILD); child !== NONE; child = this.#member(child, SIBLING)) waiting.push(child)
    }
  }

  /** The highest node to which all of a text leads, or -1. It may go on behind the text. */
  #nodeFor(text: string): number {
    const units = new Uint16Array(text.length)
    for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at)
    let node = this.roots.get(units[0] ?? 0) ?? NONE
    for (let depth = 0; node !== NONE; node = this.#child(node, units[depth] ?? 0)) {
      depth = this.#common(node, depth, units, 0, units.length)
      if (depth === units.length) return node
      if (depth < this.#member(node, END)) return NONE
    }
    return NONE
  }

  /** How far a text, which begins at `from`, and a node have the same characters. */
  #common(node: number, depth: number, units: Uint16Array, from: number, length: number): number {
    const characters = this.#characters
    const begin = this.#member(node, BEGIN)
    const end = Math.min(this.#member(node, END), length)
    let at = depth
    while (at < end && characters[begin + at] === units[from + at]) at++
    return at
  }

  /** The node below another that begins so. It becomes the first of its siblings: what was looked for will be looked for again. */
  #child(node: number, character: number): number {
    const nodes = this.#nodes
    const first = nodes[node + CHILD] ?? NONE
    let before = NONE
    let child = first
    while (child !== NONE && nodes[child + CHARACTER] !== character) {
      before = child
      child = nodes[child + SIBLING] ?? NONE
    }
    if (child === NONE || before === NONE) return child
    nodes[before + SIBLING] = nodes[child + SIBLING] ?? NONE
    nodes[child + SIBLING] = first
    nodes[node + CHILD] = child
    return child
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
    const leaf = this.#leaf(units, from, to, depth)
    this.#nodes[leaf + SIBLING] = this.#member(node, CHILD)
    this.#nodes[node + CHILD] = leaf
    return this.#size - 1
  }

  /** Ends a node earlier, and puts the rest of it below, beside the rest of the word. */
  #split(node: number, depth: number, units: Uint16Array, from: number, to: number): number {
    const rest = this.#node(this.#member(node, BEGIN), depth, this.#member(node, END), this.#member(node, WORD))
    this.#nodes[rest + CHILD] = this.#member(node, CHILD)
    this.#nodes[node + CHILD] = rest
    this.#nodes[node + END] = depth
    this.#nodes[node + WORD] = NONE
    return depth === to - from ? this.#name(node, units, from, to) : this.#branch(node, depth, units, from, to)
  }

  #leaf(units: Uint16Array, from: number, to: number, depth: number): number {
    return this.#node(this.#write(units, from, to), depth, to - from, this.#size++)
  }

  #node(begin: number, depth: number, end: number, word: number): number {
    const node = this.#usedNodes
    this.#usedNodes += WIDTH
    this.#nodes = roomFor(this.#nodes, this.#usedNodes)
    const nodes = this.#nodes
    nodes[node + BEGIN] = begin
    nodes[node + END] = end
    nodes[node + CHARACTER] = this.#characters[begin + depth] ?? 0
    nodes[node + CHILD] = NONE
    nodes[node + SIBLING] = NONE
    nodes[node + WORD] = word
    return node
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
