/** What is written in the place of a secret. */
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
  'token',
  'access_token',
  'refresh_token',
]

/** Where secrets stand in what is logged: at the top, and one level down. */
export const SECRET_PATHS: readonly string[] = SECRET_NAMES.flatMap((name) => [
  name,
  name.startsWith('[') ? `*${name}` : `*.${name}`,
])

/** What gives itself away as a secret, wherever it stands in a text: headers and members by name, credentials, hashes, tokens. */
const SECRETS: readonly RegExp[] = [
  /\b(?:set-cookie|cookie|authorization)["']?\s*[:=][^\n]*/gi,
  /(?:password|secret|token)\w{0,20}\\?["']?\s{0,9}[:=]\s{0,9}(?:\\?"(?:[^"\\\n]|\\[^"\n])*|'[^'\n]*|[^\s,;&)}\]]+)/gi,
  /\b(?:Bearer|Basic)\s+[^\s"']+/gi,
  /\$argon2[^\s"']*/g,
  /\bwhsec_[\w+/=-]*/g,
  // Longer than one of our ids, or with a dot in it: those may begin like a token by chance.
  /\beyJ(?:[\w-]{20,}|[\w-]*\.)[\w.-]*/g,
]

/** Nobody reads on; and what a client sent may stand in the message of an error. */
const LONGEST_TEXT = 16_384

/** Takes out of a text what looks like a secret. For texts that others wrote, such as the message of an error. */
export function redactText(text: string): string {
  const readable = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} …` : text
  return SECRETS.reduce((rest, secret) => rest.replace(secret, REDACTED), readable)
}

/** An error as it is logged: what happened and where, with what caused it. */
export interface ErrorDescription {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: ErrorDescription
}

const DEEPEST_CAUSE = 5

/** Describes what was thrown. Whatever else an error carries is left out: it may be a request with its headers and its body. */
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
