import assert from 'node:assert/strict'

/** What no log may hold, in whole or in part: tokens, hashes, and the passwords that the fixtures and tests use. */
const SECRETS: readonly RegExp[] = [
  // The beginning of every JWT, and of its claims; an id of a request has 22 characters and may begin so by chance.
  /eyJ[\w-]{20}/,
  /eyJ[\w-]*\./,
  /\$argon2/,
  /whsec_/,
  /\$quick\$/,
  /harbour-(?:admin|editor)-2024|lighthouse-keys-17|north-pier-walks|bacalhau-friday-8|quiet-moderator-5|mackerel-sky-33/,
  /alder-lane-admin-26|front-desk-morning-26|stethoscope-blue-26|paper-aeroplane-26/,
  /anchors-aweigh-61|first-day-ashore|a-long-password|long-enough/,
]

/** Asserts that lines of a log hold no secret. @param more secrets that only this log could hold; each counts in parts too */
export function assertNoSecrets(lines: readonly string[], more: readonly string[] = []): void {
  const text = lines.join('')
  for (const secret of SECRETS) assert.doesNotMatch(text, secret, 'the log holds a secret')
  for (const secret of more) {
    for (const part of partsOf(secret)) assert.ok(!text.includes(part), `the log holds '${part}' of '${secret}'`)
  }
}

const PART = 12

/** A secret that is short whole; a long one in pieces, of which none may be seen. */
function partsOf(secret: string): string[] {
  if (secret.length <= 2 * PART) return [secret]
  return Array.from({ length: Math.floor(secret.length / PART) }, (_, index) => secret.slice(index * PART, (index + 1) * PART))
}
