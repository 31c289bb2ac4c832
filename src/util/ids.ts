import { randomBytes } from 'node:crypto'

/** Returns random bytes; tests inject a deterministic source. */
export type Random = (bytes: number) => Buffer

export const systemRandom: Random = (bytes) => randomBytes(bytes)

/** An unguessable, unique id: 128 bits, base64url. */
export const uniqueId = (random: Random): string => random(16).toString('base64url')
