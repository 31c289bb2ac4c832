import { textLike } from './text-like.ts'

// The "valid e-mail address" of the HTML standard, as in <input type=email>.
const ADDRESS =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** An e-mail address, at most 254 characters (RFC 5321). */
export const email = textLike('email', { wellFormed: (address) => address.length <= 254 && ADDRESS.test(address) })
