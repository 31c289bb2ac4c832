import { randomBytes } from 'node:crypto'

/** Gives `bytes` unpredictable bytes; tests pass one that repeats. */
export type Random = (bytes: number) => Buffer

export const systemRandom: Random = (bytes) => randomBytes(bytes)

/** A name that nobody guesses and nobody gives twice: 128 bits, base64url. */
export const uniqueId = (random: Random): string => random(16).toString('base64url')
