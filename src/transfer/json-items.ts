import { AppError } from '../errors.ts'
import { MAX_JSON_DEPTH } from '../util/json.ts'

const QUOTE = '"'
const BACKSLASH = '\\'

/**
 * Divides the text of a JSON array into the texts of its items, piece by piece, so that neither the file nor its number of items has to fit into
 * one step. Items are not parsed. An item that is too long, or nested too deep, ends the reading.
 */
export class JsonItems {
  readonly #maxLength: number
  #items: string[] = []
  #item = ''
  #place: 'before' | 'first' | 'items' | 'after' = 'before'
  /** Number of brackets that are open in the present item. */
  #depth = 0
  #isInString = false
  /** True if the last piece ended behind a backslash. */
  #isEscaped = false
  #isOver = false

  /** @param maxLength maximum number of characters of an item */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** True once the reading has ended early: no more pieces are read. The last item may be incomplete then. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Reads the next piece, and returns the texts of the items that it completes.
   *
   * @throws {AppError} INVALID_REQUEST if the text is no array, MALFORMED_JSON
   */
  read(piece: string): readonly string[] {
    let at = 0
    if (this.#place === 'before') {
      at = piece.search(/[^ \t\r\n]/)
      if (at === -1) return []
      if (piece[at] !== '[') throw new AppError('INVALID_REQUEST', 'A JSON file must contain an array of objects')
      this.#place = 'first'
      at++
    }
    while (at < piece.length && !this.#isOver) {
      if (this.#place === 'after') {
        if (/[^ \t\r\n]/.test(piece.slice(at))) throw malformedFile('text follows the array')
        break
      }
      at = this.#isInString ? this.#endOfString(piece, at) : this.#endOfPart(piece, at)
    }
    const items = this.#items
    this.#items = []
    return items
  }

  /** @throws {AppError} MALFORMED_JSON if the array is not complete */
  end(): void {
    if (this.#place !== 'after' && !this.#isOver) throw malformedFile('Unexpected end of JSON input')
  }

  /** Reads to the end of a string, or of the piece. */
  #endOfString(piece: string, start: number): number {
    let at = this.#isEscaped ? start + 1 : start
    this.#isEscaped = false
    for (; at < piece.length; at++) {
      const character = piece[at]
      if (character === BACKSLASH) {
        at++
        this.#isEscaped = at === piece.length
      } else if (character === QUOTE) {
        this.#isInString = false
        at++
        break
      }
    }
    this.#append(piece.slice(start, at))
    return at
  }

  /** Reads to the beginning of a string, or the end of the item or the piece. */
  #endOfPart(piece: string, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const character = piece[at]
      if (character === QUOTE) {
        this.#isInString = true
        this.#append(piece.slice(start, at + 1))
        return at + 1
      }
      if (character === '{' || character === '[') {
        if (++this.#depth <= MAX_JSON_DEPTH + 1) continue
        this.#append(piece.slice(start, at + 1))
        this.#endEarly()
        return at + 1
      }
      const isEnd = this.#depth === 0 && (character === ',' || character === ']')
      if (isEnd) {
        this.#append(piece.slice(start, at))
        this.#endItem(character === ']')
        return at + 1
      }
      if (character === '}' || character === ']') this.#depth--
    }
    this.#append(piece.slice(start))
    return piece.length
  }

  #append(text: string): void {
    this.#item += text
    if (this.#item.length > this.#maxLength) this.#endEarly()
  }

  #endEarly(): void {
    this.#isOver = true
    this.#items.push(this.#item)
  }

  #endItem(isLast: boolean): void {
    if (this.#isOver) return
    const isEmpty = isLast && this.#place === 'first' && this.#item.trim() === ''
    if (!isEmpty) this.#items.push(this.#item)
    this.#place = isLast ? 'after' : 'items'
    this.#item = ''
  }
}

/** The error of a file that is not JSON. */
export const malformedFile = (reason: string): AppError => new AppError('MALFORMED_JSON', `The file is not valid JSON: ${reason}`)
