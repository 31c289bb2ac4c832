import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { type ByteSource, MalformedImage } from './byte-source.ts'

/** Maximum number of pieces of a file, which bounds the memory of a hostile one. */
const MAX_PIECES = 100_000

/** Bytes copied at a time. */
const CHUNK = 1024 * 1024

/** A part of a rewritten file: a range of the original, or new bytes. */
type Piece = { readonly from: number; readonly to: number } | { readonly bytes: Buffer } | { readonly zeros: number }

/** A file as parts of an original, in order. What is neither kept nor put is dropped. */
export class Pieces {
  readonly #source: ByteSource
  readonly #pieces: Piece[] = []

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** Keeps a range of the original. */
  keep(from: number, to: number): void {
    if (from === to) return
    if (to > this.#source.size) throw new MalformedImage('the file ends too early')
    const last = this.#pieces.at(-1)
    if (last !== undefined && 'to' in last && last.to === from) this.#pieces[this.#pieces.length - 1] = { from: last.from, to }
    else this.#add({ from, to })
  }

  /** Puts bytes in the place of a range of the original. */
  replace(from: number, to: number, bytes: Buffer): void {
    if (bytes.length === to - from && this.#source.bytes(from, bytes.length).equals(bytes)) this.keep(from, to)
    else this.#add({ bytes })
  }

  /** Puts zeros in the place of a range of the original. */
  blank(from: number, to: number): void {
    if (this.#isBlank(from, to)) this.keep(from, to)
    else this.#add({ zeros: to - from })
  }

  /** True if the file stays as it is. */
  get isUnchanged(): boolean {
    const [first, ...others] = this.#pieces
    return others.length === 0 && first !== undefined && 'to' in first && first.from === 0 && first.to === this.#source.size
  }

  /** Writes the file, so that it is durable under its path. Blocks the process. */
  write(original: number, path: string): { readonly size: number; readonly sha256: string } {
    const hash = createHash('sha256')
    const target = openSync(path, 'wx', 0o600)
    let size = 0
    const put = (bytes: Buffer): void => {
      hash.update(bytes)
      for (let done = 0; done < bytes.length; ) done += writeSync(target, bytes, done)
      size += bytes.length
    }
    try {
      const chunk = Buffer.alloc(CHUNK)
      for (const piece of this.#pieces) {
        if ('bytes' in piece) put(piece.bytes)
        else if ('zeros' in piece) {
          chunk.fill(0)
          for (let left = piece.zeros; left > 0; left -= CHUNK) put(chunk.subarray(0, Math.min(CHUNK, left)))
        } else {
          for (let at = piece.from; at < piece.to; ) {
            const count = readSync(original, chunk, 0, Math.min(CHUNK, piece.to - at), at)
            if (count === 0) throw new MalformedImage('the file has become shorter')
            put(chunk.subarray(0, count))
            at += count
          }
        }
      }
      fsyncSync(target)
    } finally {
      closeSync(target)
    }
    return { size, sha256: hash.digest('hex') }
  }

  #isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.#source.byte(at) !== 0) return false
    return true
  }

  #add(piece: Piece): void {
    if (this.#pieces.length === MAX_PIECES) throw new MalformedImage('the file has too many parts')
    this.#pieces.push(piece)
  }
}
