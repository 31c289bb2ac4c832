import { withoutUrlPasswords } from '../util/urls.ts'

/** Replacement text of a secret. */
export const REDACTED = '[Redacted]'

const SECRET_NAMES = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  '["set-cookie"]',
  'password',
  'secret',
  'secret_key',
  'secret_keys_previous',
  'client_secret',
  'token',
  'access_token',
  'refresh_token',
]

/** Paths of secrets in log fields: at the top level and one level down. */
export const SECRET_PATHS: readonly string[] = SECRET_NAMES.flatMap((name) => [
  name,
  name.startsWith('[') ? `*${name}` : `*.${name}`,
])

/** Patterns of secrets in free text: headers and members by name, credentials, hashes, tokens. */
const SECRETS: readonly RegExp[] = [
  /\b(?:set-cookie|cookie|authorization)["']?\s*[:=][^\n]*/gi,
  /(?:password|secret|token)\w{0,20}\\?["']?\s{0,9}[:=]\s{0,9}(?:\\?"(?:[^"\\\n]|\\[^"\n])*|'[^'\n]*|[^\s,;&)}\]]+)/gi,
  /\b(?:Bearer|Basic)\s+[^\s"']+/gi,
  /\$argon2[^\s"']*/g,
  /\badm_\w{16,}/g,
  /\bwhsec_[\w+/=-]*/g,
  // Longer than an id of ours, or with a dot: ids may begin like a token by chance.
  /\beyJ(?:[\w-]{20,}|[\w-]*\.)[\w.-]*/g,
]

/** Maximum length of a logged text, in characters: an error message may contain client input. */
const LONGEST_TEXT = 16_384

/** Redacts what looks like a secret. For texts from elsewhere, such as error messages. */
export function redactText(text: string): string {
  const readable = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} …` : text
  const known = SECRETS.reduce((rest, secret) => rest.replace(secret, REDACTED), readable)
  return withoutUrlPasswords(known, () => REDACTED)
}

/** An error as it is logged: message and stack, with its causes. */
export interface ErrorDescription {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: ErrorDescription
}

const DEEPEST_CAUSE = 5

/**
 * Describes a thrown value. Other properties of an error are left out, since they may hold a request with its headers and body.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: redactText(String(error)) }
  const { name, message, stack, cause } = error
  const code = (error as { code?: unknown }).code
  return {
    type: name,
    message: redactText(message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(cause === undefined || depth === DEEPEST_CAUSE ? {} : { cause: describeError(cause, depth + 1) }),
  }
}
