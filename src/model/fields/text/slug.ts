import { textLike } from './text-like.ts'

/** Letters, digits, hyphens and underscores, which need no escaping in a URL. */
export const slug = textLike('slug', { wellFormed: (text) => /^[A-Za-z0-9_-]+$/.test(text) })
