import { textLike } from './text-like.ts'

/** Text on one line; the type does not enforce this. */
export const string = textLike('string', { options: ['choices'] })
