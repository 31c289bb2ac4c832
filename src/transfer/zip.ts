import { pipeline, Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

/** A file of a ZIP archive. */
export interface ZipPart {
  /** Path in ASCII, such as `xl/styles.xml`. */
  readonly name: string
  readonly text: string | AsyncIterable<string>
}

/** The archive has no records of ZIP64, which some spreadsheets do not read. */
const MAX_SIZE = 0xffff_ffff

/** A part as the directory at the end of the archive describes it. */
interface Entry {
  readonly name: string
  readonly offset: number
  readonly sums: Buffer
}

/**
 * A ZIP archive in pieces, while its parts are read. Sizes follow each part, since they are not known before; parts are compressed in another
 * thread. All parts have the date 1980-01-01, so that equal parts give equal archives.
 *
 * @throws {Error} for more than 4 GiB
 */
export async function* zipped(parts: readonly ZipPart[]): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = []
  let offset = 0
  for (const { name, text } of parts) {
    const head = Buffer.concat([localHead(), Buffer.from(name)])
    head.writeUInt16LE(name.length, 26)
    yield head
    const counted = new Counted(text)
    let size = 0
    for await (const chunk of deflated(counted)) {
      size += chunk.length
      yield chunk
    }
    if (offset + size > MAX_SIZE || counted.size > MAX_SIZE) throw new Error('A ZIP archive holds at most 4 GiB')
    const sums = numbers(counted.sum, size, counted.size)
    yield Buffer.concat([numbers(0x0807_4b50), sums])
    entries.push({ name, offset, sums })
    offset += head.length + size + 16
  }
  const directory = Buffer.concat(entries.map(directoryEntry))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  yield Buffer.concat([directory, end])
}

/** The bytes of a text, with their number and check sum when all are read. */
class Counted {
  readonly #text: string | AsyncIterable<string>
  size = 0
  sum = 0

  constructor(text: string | AsyncIterable<string>) {
    this.#text = text
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const piece of typeof this.#text === 'string' ? [this.#text] : this.#text) {
      const bytes = Buffer.from(piece)
      this.size += bytes.length
      this.sum = crc32(bytes, this.sum)
      yield bytes
    }
  }
}

/** Fails with the error of the bytes. A reader that stops early ends their iteration. */
function deflated(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(bytes, { objectMode: false }), createDeflateRaw({ level: 4 }), () => {})
}

const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}

/** The fields that a part has in its head and in the directory: version 2.0, sizes behind the part, compressed, 1980-01-01. */
const COMMON = Buffer.from([20, 0, 8, 0, 8, 0, 0, 0, 0x21, 0])

const localHead = (): Buffer => Buffer.concat([numbers(0x0403_4b50), COMMON, Buffer.alloc(16)])

function directoryEntry({ name, offset, sums }: Entry): Buffer {
  const head = Buffer.concat([numbers(0x0201_4b50), Buffer.from([20, 0]), COMMON, sums, Buffer.alloc(14), numbers(offset)])
  head.writeUInt16LE(name.length, 28)
  return Buffer.concat([head, Buffer.from(name)])
}
