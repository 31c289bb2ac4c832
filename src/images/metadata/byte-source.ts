import { readSync } from 'node:fs'

/** Bytes read at a time. */
const WINDOW = 256 * 1024

/** An image whose structure is not that of its type: it is damaged or incomplete. */
export class MalformedImage extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MalformedImage'
  }
}

/** The bytes of an open file at any position, read in windows of 256 KiB. Reads block the process. */
export class ByteSource {
  readonly size: number
  readonly #file: number
  #window = Buffer.alloc(0)
  #start = 0

  /** @param file descriptor of the file, which stays open */
  constructor(file: number, size: number) {
    this.#file = file
    this.size = size
  }

  /** A copy of bytes. @throws {MalformedImage} if the file ends before */
  bytes(at: number, length: number): Buffer {
    if (length <= WINDOW) return Buffer.from(this.#view(at, length))
    this.#require(at, length)
    const bytes = Buffer.alloc(length)
    for (let done = 0; done < length; done += WINDOW) {
      this.#view(at + done, Math.min(WINDOW, length - done)).copy(bytes, done)
    }
    return bytes
  }

  /** @throws {MalformedImage} at the end of the file */
  byte(at: number): number {
    const index = at - this.#start
    return this.#window[index < 0 ? this.#window.length : index] ?? this.#view(at, 1).readUInt8()
  }

  /** An unsigned number, big endian. @param length 1, 2, 4 or 8; or 0 for 0 */
  number(at: number, length: number): number {
    if (length === 0) return 0
    if (length < 8) return this.#view(at, length).readUIntBE(0, length)
    return this.number(at, 4) * 2 ** 32 + this.number(at + 4, 4)
  }

  /** An unsigned number of four bytes, little endian. */
  number32LE(at: number): number {
    return this.#view(at, 4).readUInt32LE()
  }

  /** Bytes as characters of ISO 8859-1. */
  text(at: number, length: number): string {
    return this.#view(at, length).toString('latin1')
  }

  /** The position of the next byte of this value. @throws {MalformedImage} if there is none */
  indexOf(value: number, from: number): number {
    for (let at = from; ; ) {
      const view = this.#view(at, Math.max(1, Math.min(WINDOW / 4, this.size - at)))
      const found = view.indexOf(value)
      if (found !== -1) return at + found
      at += view.length
    }
  }

  /** Bytes in the window, which the next read replaces. */
  #view(at: number, length: number): Buffer {
    const index = at - this.#start
    if (index >= 0 && index + length <= this.#window.length) return this.#window.subarray(index, index + length)
    this.#require(at, length)
    const window = Buffer.alloc(Math.min(WINDOW, this.size - at))
    let filled = 0
    while (filled < window.length) {
      const count = readSync(this.#file, window, filled, window.length - filled, at + filled)
      if (count === 0) throw new MalformedImage('the file has become shorter')
      filled += count
    }
    this.#window = window
    this.#start = at
    return window.subarray(0, length)
  }

  #require(at: number, length: number): void {
    if (at < 0 || length < 0 || at + length > this.size) throw new MalformedImage('the file ends too early')
  }
}
