import { textLike } from './text-like.ts'

/** A line of text. */
export const string = textLike('string', { options: ['choices'] })
