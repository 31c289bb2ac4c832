import { createHmac } from 'node:crypto'

/** A part of a token, header or claims. */
export type Part = Readonly<Record<string, unknown>>

export const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url')

export const decode = (token: string, index: number): Part =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()) as Part

/** Makes tokens by hand (RFC 7515), with the key or without it. */
export const forger =
  (usualKey: string) =>
  (claims: unknown, { header = { alg: 'HS256', typ: 'JWT' } as unknown, hash = 'sha256', key = usualKey } = {}): string => {
    const signed = `${encode(header)}.${encode(claims)}`
    return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
  }

export const without = (claims: Part, name: string): Part =>
  Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name))
