import { parseUrl } from '../../../util/urls.ts'
import { textLike } from './text-like.ts'

/** An absolute http or https URL (WHATWG). */
export const url = textLike('url', {
  wellFormed: (address) => /^https?:\/\/\S+$/i.test(address) && parseUrl(address) !== undefined,
})
