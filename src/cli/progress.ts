import type { Format } from '../query/formats.ts'
import type { Io } from './io.ts'

const WIDTH = 24
/** Redraw interval: visible movement at no measurable cost. */
const INTERVAL_MS = 100

/**
 * Passes items through and shows a progress bar on stderr. Without a terminal, or with a `total` of 0, it shows nothing.
 *
 * @param done returns how much of `total` is done
 */
export async function* withProgress<T>(
  io: Io,
  label: string,
  total: number,
  done: () => number,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  const shows = io.stderr.isTTY === true && total > 0
  let next = 0
  try {
    for await (const item of items) {
      yield item
      if (!shows || performance.now() < next) continue
      next = performance.now() + INTERVAL_MS
      io.stderr.write(`\r${bar(label, done() / total)}`)
    }
  } finally {
    if (shows) io.stderr.write('\r\u001B[K')
  }
}

/** `post  ██████░░░░  60 %` */
function bar(label: string, share: number): string {
  const full = Math.round(Math.min(1, share) * WIDTH)
  return `${label}  ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}  ${Math.floor(Math.min(1, share) * 100)} %`
}

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
