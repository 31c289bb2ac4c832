import { textLike } from '../text/text-like.ts'

/** One of a list of texts. */
export const choice = { ...textLike('choice'), options: ['choices', 'default', 'unique'] } as const
