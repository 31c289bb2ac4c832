import { randomBytes } from 'node:crypto'

/** Returns random bytes; tests inject a deterministic source. */
export type Random = (bytes: number) => Buffer

/** Bytes fetched at once. Fetching these takes about twice as long as fetching 16. */
const BLOCK = 4096

let unused = Buffer.alloc(0)

/** Random bytes of the system, each given once. They are cut from a block that is fetched ahead, as `randomUUID` of Node.js does. */
export const systemRandom: Random = (bytes) => {
  if (bytes > unused.length) unused = randomBytes(Math.max(bytes, BLOCK))
  const taken = unused.subarray(0, bytes)
  unused = unused.subarray(bytes)
  return taken
}

/** A random UUID (version 4, RFC 9562). */
export function randomUuid(random: Random): string {
  const bytes = random(16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** An unguessable, unique id: 128 bits, base64url. */
export const uniqueId = (random: Random): string => random(16).toString('base64url')

/** True for the text of a record's id, of at most 16 digits. */
export const isRecordId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text)
