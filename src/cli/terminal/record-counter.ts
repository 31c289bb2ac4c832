import type { Format } from '../../query/formats.ts'

/** Counts the records in the text of an exported file while it is streamed. */
export class RecordCounter {
  readonly #format: Format
  #lines = 0
  #isQuoted = false
  #isEmpty = true

  constructor(format: Format) {
    this.#format = format
  }

  /** Number of complete records so far. */
  get count(): number {
    // The first line of CSV is the header. JSON and NDJSON without records still contain a line break.
    return this.#format === 'csv' ? Math.max(0, this.#lines - 1) : this.#isEmpty ? 0 : this.#lines
  }

  /** Passes the text through and counts its records. */
  async *counted(text: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const piece of text) {
      this.#add(piece)
      yield piece
    }
  }

  #add(piece: string): void {
    if (this.#format !== 'csv') {
      // Line breaks inside JSON strings are escaped.
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) this.#lines++
      this.#isEmpty &&= !piece.includes('{')
      return
    }
    for (const [character] of piece.matchAll(/["\n]/g)) {
      if (character === '"') this.#isQuoted = !this.#isQuoted
      else if (!this.#isQuoted) this.#lines++
    }
  }
}
