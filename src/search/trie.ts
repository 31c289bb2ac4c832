import { roomFor } from './growing.ts'

const NONE = -1

/**
 * Words by number, in a radix trie: found whole, by how they begin, and by walking along what they have in common. It grows a
 * word at a time and holds nothing but arrays of numbers, so that a million words are no work for a garbage collector.
 *
 * A node is the part of a word from where its parent ends to `ends`; the characters are those of a word that passes through it.
 */
export class Trie {
  /** All words, one behind the other. */
  characters = new Uint16Array(1024)
  /** Where a word that passes through a node begins in `characters`. */
  begins = new Int32Array(64)
  /** How many characters a node and those above it have. */
  ends = new Uint8Array(64)
  firstChild = new Int32Array(64)
  nextSibling = new Int32Array(64)
  /** The word that ends with a node, or -1. */
  wordAt = new Int32Array(64)
  /** The nodes that words begin with, by their first character. In scripts with thousands of characters these are many. */
  readonly roots = new Map<number, number>()
  #firstCharacter = new Uint16Array(64)
  #used = 0
  #nodes = 0
  #size = 0

  /** How many words there are; they are numbered from 0. */
  get size(): number {
    return this.#size
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    const node = this.#nodeFor(word)
    return node !== NONE && this.ends[node] === word.length ? this.#at(this.wordAt, node) : NONE
  }

  /** The number of a word, which is given one when it has none yet. At most 255 characters, at least one. */
  add(word: string): number {
    const first = word.charCodeAt(0)
    let node = this.roots.get(first)
    if (node === undefined) {
      this.roots.set(first, this.#leaf(word, 0))
      return this.#size - 1
    }
    let depth = 0
    for (;;) {
      depth = this.#common(node, depth, word)
      if (depth < this.#at(this.ends, node)) return this.#split(node, depth, word)
      if (depth === word.length) return this.#name(node, word)
      const child = this.#child(node, word.charCodeAt(depth))
      if (child === NONE) return this.#branch(node, depth, word)
      node = child
    }
  }

  /** Calls `take` with every word that begins so. */
  eachFrom(prefix: string, take: (word: number) => void): void {
    const start = this.#nodeFor(prefix)
    if (start === NONE) return
    const waiting = [start]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const word = this.#at(this.wordAt, node)
      if (word !== NONE) take(word)
      for (let child = this.#at(this.firstChild, node); child !== NONE; child = this.#at(this.nextSibling, child))
        waiting.push(child)
    }
  }

  /** The highest node to which all of a text leads, or -1. It may go on behind the text. */
  #nodeFor(text: string): number {
    let node = this.roots.get(text.charCodeAt(0)) ?? NONE
    for (let depth = 0; node !== NONE; node = this.#child(node, text.charCodeAt(depth))) {
      depth = this.#common(node, depth, text)
      if (depth === text.length) return node
      if (depth < this.#at(this.ends, node)) return NONE
    }
    return NONE
  }

  /** How far a text and a node have the same characters. */
  #common(node: number, from: number, text: string): number {
    const begin = this.#at(this.begins, node)
    const end = Math.min(this.#at(this.ends, node), text.length)
    let at = from
    while (at < end && this.characters[begin + at] === text.charCodeAt(at)) at++
    return at
  }

  #child(node: number, character: number): number {
    let child = this.#at(this.firstChild, node)
    while (child !== NONE && this.#firstCharacter[child] !== character) child = this.#at(this.nextSibling, child)
    return child
  }

  /** A word ends where a node does. */
  #name(node: number, word: string): number {
    if (this.wordAt[node] === NONE) {
      this.wordAt[node] = this.#size++
      this.#write(word)
    }
    return this.#at(this.wordAt, node)
  }

  /** Puts a leaf below a node. */
  #branch(node: number, depth: number, word: string): number {
    const leaf = this.#leaf(word, depth)
    this.nextSibling[leaf] = this.#at(this.firstChild, node)
    this.firstChild[node] = leaf
    return this.#size - 1
  }

  /** Ends a node earlier, and puts the rest of it below, beside the rest of the word. */
  #split(node: number, depth: number, word: string): number {
    const begin = this.#at(this.begins, node)
    const rest = this.#node(begin, depth, this.#at(this.ends, node), this.#at(this.wordAt, node))
    this.firstChild[rest] = this.#at(this.firstChild, node)
    this.firstChild[node] = rest
    this.ends[node] = depth
    this.wordAt[node] = NONE
    return depth === word.length ? this.#name(node, word) : this.#branch(node, depth, word)
  }

  #leaf(word: string, depth: number): number {
    return this.#node(this.#write(word), depth, word.length, this.#size++)
  }

  #node(begin: number, depth: number, end: number, word: number): number {
    const node = this.#nodes++
    this.begins = roomFor(this.begins, node)
    this.ends = roomFor(this.ends, node)
    this.firstChild = roomFor(this.firstChild, node)
    this.nextSibling = roomFor(this.nextSibling, node)
    this.wordAt = roomFor(this.wordAt, node)
    this.#firstCharacter = roomFor(this.#firstCharacter, node)
    this.begins[node] = begin
    this.ends[node] = end
    this.firstChild[node] = NONE
    this.nextSibling[node] = NONE
    this.wordAt[node] = word
    this.#firstCharacter[node] = this.characters[begin + depth] ?? 0
    return node
  }

  /** Keeps the characters of a word. @returns where they begin */
  #write(word: string): number {
    const begin = this.#used
    this.#used += word.length
    this.characters = roomFor(this.characters, this.#used)
    for (let at = 0; at < word.length; at++) this.characters[begin + at] = word.charCodeAt(at)
    return begin
  }

  #at(array: Int32Array | Uint8Array, index: number): number {
    return array[index] ?? NONE
  }
}
