import type { ReadFile } from './disk.ts'

const NEWLINE = 0x0a

/** A sliding window over a file: the bytes that were read and not yet consumed. */
export class ReadWindow {
  readonly #chunks: AsyncGenerator<Buffer>
  #bytes = Buffer.allocUnsafe(2 * CHUNK_BYTES)
  #from = 0
  #to = 0

  constructor(file: ReadFile) {
    this.#chunks = chunksOf(file)
  }

  /** The unconsumed bytes. */
  get view(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to)
  }

  /** Consumes bytes. */
  consume(count: number): void {
    this.#from += count
  }

  /** Reads on; false at the end of the file. Overwrites what `view` returned before. */
  async fill(): Promise<boolean> {
    this.#bytes.copyWithin(0, this.#from, this.#to)
    this.#to -= this.#from
    this.#from = 0
    // A line longer than the window.
    if (this.#to + CHUNK_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes.subarray(0, this.#to), Buffer.allocUnsafe(this.#bytes.length)])
    }
    const { value, done } = await this.#chunks.next()
    if (done === true) return false
    this.#to += value.copy(this.#bytes, this.#to)
    return true
  }

  /** The next line, without its end. */
  async line(): Promise<string> {
    for (;;) {
      const { view } = this
      const end = view.indexOf(NEWLINE)
      if (end !== -1) {
        this.consume(end + 1)
        return view.toString('utf8', 0, end)
      }
      // No line of the layout itself is this long.
      if (view.length > CHUNK_BYTES || !(await this.fill())) {
        this.consume(view.length)
        return view.toString('utf8', 0, CHUNK_BYTES)
      }
    }
  }
}

/** Size of a chunk, in bytes. */
export const CHUNK_BYTES = 1 << 20

/**
 * Reads a file in chunks, one chunk ahead of the consumer. A chunk is overwritten when the next but one is requested.
 *
 * @param end offset to stop at, in bytes; the end of the file when absent
 */
export async function* chunksOf(file: ReadFile, end = file.size): AsyncGenerator<Buffer> {
  const buffers = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)] as const
  const readInto = (buffer: Buffer, position: number) => {
    const count = file.read(buffer.subarray(0, Math.min(CHUNK_BYTES, end - position)), position)
    // The rejection is handled where the promise is awaited.
    count.catch(() => {})
    return count
  }
  let [buffer, other] = buffers
  let next = readInto(buffer, 0)
  for (let position = 0; position < end; ) {
    const count = await next
    if (count === 0) return
    const chunk = buffer.subarray(0, count)
    position += count
    ;[buffer, other] = [other, buffer]
    if (position < end) next = readInto(buffer, position)
    yield chunk
  }
}
