import type { Random } from '../util/ids.ts'

/** Base 32 by Crockford: no letter is taken for a digit. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 80 bits. */
const LENGTH = 16
const GROUP = 4

/** A new recovery code of 80 random bits, such as `7K2P-QX9M-4TVB-8WDH`. */
export function makeRecoveryCode(random: Random): string {
  const digits = [...random(LENGTH)].map((byte) => DIGITS[byte % DIGITS.length]).join('')
  return Array.from({ length: LENGTH / GROUP }, (_, group) => digits.slice(group * GROUP, (group + 1) * GROUP)).join('-')
}

/** The recovery code that a user has typed: letters of either case, with or without separators, O for 0, I and L for 1. Undefined for another text. */
export function recoveryCodeIn(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1')
  return code.length === LENGTH && [...code].every((digit) => DIGITS.includes(digit)) ? code : undefined
}
