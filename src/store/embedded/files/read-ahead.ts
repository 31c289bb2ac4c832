import type { ReadFile } from './disk.ts'

/** How much is read at a time. In bytes. */
export const CHUNK_BYTES = 1 << 20

/**
 * The bytes of a file in chunks; while one is being worked on the next is read. A chunk is overwritten once the next but one is
 * asked for.
 *
 * @param end where to stop, in bytes; absent, at the end of the file
 */
export async function* chunksOf(file: ReadFile, end = file.size): AsyncGenerator<Buffer> {
  const buffers = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)] as const
  const readInto = (buffer: Buffer, position: number) => {
    const count = file.read(buffer.subarray(0, Math.min(CHUNK_BYTES, end - position)), position)
    // It fails where it is waited for.
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
