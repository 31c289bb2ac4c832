import { textLike } from './text-like.ts'

/** Text of any length, over several lines. */
export const text = textLike('text')
