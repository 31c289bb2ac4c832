import { textLike } from './text-like.ts'

/** An absolute http or https URL (WHATWG). */
export const url = textLike('url', {
  wellFormed: (address) => /^https?:\/\/\S+$/i.test(address) && isParsed(address),
})

/** `URL.canParse` of Node.js 20 refuses letters such as `ü` once it has been called some thousand times and is compiled. */
function isParsed(address: string): boolean {
  try {
    new URL(address)
    return true
  } catch {
    return false
  }
}
