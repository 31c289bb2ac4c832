import type { ReadFile } from './disk.ts'

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
