import { textLike } from './text-like.ts'

/** Letters, digits, hyphens and underscores: what fits into a URL unescaped. */
export const slug = textLike('slug', { wellFormed: (text) => /^[A-Za-z0-9_-]+$/.test(text) })
