import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from '../util/ids.ts'

/** What every API key begins with, by which scanners of secrets know it. */
export const KEY_PREFIX = 'adm_'

/** Lengths in digits of base62: 256 bits, and a CRC32. */
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = new RegExp(`^${KEY_PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/**
 * Makes an API key: `adm_`, 256 random bits in base62, and their CRC32 in base62, as the tokens of GitHub have it. A scanner of secrets, and the
 * server, tell a key from a text that looks like one by the checksum, without a request.
 */
export function makeApiKey(random: Random): string {
  const secret = base62(BigInt(`0x${random(32).toString('hex')}`), SECRET_LENGTH)
  return `${KEY_PREFIX}${secret}${checksumOf(secret)}`
}

/** True for a text that is an API key in its form and checksum. Does not look the key up. */
export function isApiKey(text: string): boolean {
  const [, secret = '', checksum] = FORM.exec(text) ?? []
  return checksum !== undefined && checksum === checksumOf(secret)
}

/** What is stored of a key. It has 256 random bits, so no salt and no slow hash is needed. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('base64url')

/** What people recognise a key by. Its end is a part of the checksum. */
export const hintOf = (key: string): string => `${KEY_PREFIX}…${key.slice(-4)}`

const checksumOf = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH)

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = `${DIGITS[Number(rest % 62n)]}${text}`
  return text
}
