import type { Settings } from '../config/settings.ts'
import { type ContentObject, type Header, jsonContent, type Reference, type ResponseObject } from './operation.ts'
import { COUNT_SCHEMA, FLAG, MOMENT, object, ref, type Schema, TEXT } from './schema.ts'

const MESSAGES: Schema = { type: 'object', additionalProperties: { type: 'array', items: TEXT } }

/** Schemas of the two error shapes and of a message. Lower case, so that no model's schema has the same name. */
export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  fieldErrors: {
    ...object({ detail: object({ error: { anyOf: [TEXT, MESSAGES] } }) }),
    description: 'Messages by field (`<index>.<field>` in bulk operations), or one message about the whole',
  },
  error: {
    ...object(
      {
        error: TEXT,
        status_code: { type: 'integer' },
        details: { anyOf: [TEXT, MESSAGES] },
        timestamp: MOMENT,
        request_id: { ...TEXT, description: 'By which the log of the server speaks of the same failure' },
        second_factor: {
          ...object({ methods: { type: 'array', items: { type: 'string', enum: ['totp', 'recovery'] } }, enrol: FLAG }, []),
          description: 'What `otp` may be, if a login lacks it; or that a second factor has to be set up first',
        },
      },
      ['error', 'status_code', 'details'],
    ),
    description: 'What went wrong, with messages by parameter or in words',
  },
}

const ERROR = jsonContent(ref('error'))
const EITHER = jsonContent({ anyOf: [ref('fieldErrors'), ref('error')] })

/** The failures that every operation may have, since they are of no operation in particular. */
const OTHER_FAILURE = [
  'The request took too long to arrive (408), its body (413) or headers (431) are larger than the server takes, or its body is not of a',
  'type or encoding that is read (415). Or the server failed (500), or it is being reloaded, its storage rejects writes, or its database',
  'cannot be reached (503).',
].join(' ')

/** Failures by the name of their response component. */
const FAILURES = {
  badRequest: [400, 'A parameter is wrong, or the answer would be too large', ERROR],
  badWrite: [400, 'Something in the body is wrong, by field; or the body cannot be read', EITHER],
  validationFailed: [422, 'Validation failed, by field', ERROR],
  unauthenticated: [401, 'There is no valid token, or the login is not recent enough', ERROR],
  forbidden: [403, 'The user lacks the permission', ERROR],
  notFound: [404, 'The record or snapshot does not exist', ERROR],
  conflict: [409, 'Other records refer to it, others keep writing to it, or its name is taken', ERROR],
  changed: [412, 'The record has changed: `If-Match` names another version', ERROR],
  tooLarge: [413, 'A file is larger than its field takes', EITHER],
  unsatisfiable: [416, 'The range is behind the end of the file', ERROR],
  limited: [429, 'Too many requests in a minute', ERROR],
  full: [507, 'There is no space for a file', ERROR],
  other: ['default', OTHER_FAILURE, ERROR],
} as const satisfies Record<string, readonly [number | 'default', string, ContentObject]>

export type FailureName = keyof typeof FAILURES

const RATE_HEADERS: Readonly<Record<string, Header>> = {
  'X-RateLimit-Limit': { description: 'Requests that may be sent in any minute', schema: COUNT_SCHEMA },
  'X-RateLimit-Remaining': { description: 'How many of them are left', schema: COUNT_SCHEMA },
  'X-RateLimit-Reset': { description: 'When there will be more, in seconds since 1970', schema: COUNT_SCHEMA },
  RateLimit: {
    description: 'The same (draft-ietf-httpapi-ratelimit-headers): what is left, and for how many seconds',
    schema: TEXT,
  },
  'RateLimit-Policy': { description: 'The limit and its window, in the same notation', schema: TEXT },
}

const OTHER_HEADERS: Readonly<Record<string, Header>> = {
  ETag: { description: 'Names this version of the record, for `If-None-Match` and `If-Match`', schema: TEXT },
  'Content-Disposition': { description: 'File name of the download', schema: TEXT },
  'Content-Range': { description: 'The first and the last byte, and the size of the file', schema: TEXT },
  Location: { description: 'Where the new record is', schema: { type: 'string', format: 'uri-reference' } },
  'Set-Cookie': { description: 'The refresh token, or its removal; only if it is kept in the cookie', schema: TEXT },
  'WWW-Authenticate': {
    description: '`Bearer`; with `error="insufficient_user_authentication"` if the login has to be confirmed (RFC 9470)',
    schema: TEXT,
  },
  'Retry-After': { description: 'Seconds to wait', schema: COUNT_SCHEMA },
}

/** The rate limit that an operation counts towards. */
export type LimitName = keyof Settings['rate_limits'] | 'none'

/** Builds the responses of operations, by the settings of a project. */
export class Responses {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** A successful response. It does not repeat the headers of rate limits, which `info` describes. */
  success(description: string, content: ContentObject | undefined, headers: readonly string[] = []): ResponseObject {
    return { description, ...headersOf(headers), ...(content === undefined ? {} : { content }) }
  }

  /** The given failures and those of every operation, by status. */
  failures(limit: LimitName, ...kinds: readonly FailureName[]): Record<string, Reference> {
    const validates = kinds.includes('badWrite') && this.#settings.validation_status === 422
    const all: FailureName[] = [
      ...kinds,
      ...(validates ? (['validationFailed'] as const) : []),
      ...(this.#limits(limit) ? (['limited'] as const) : []),
      'other',
    ]
    return Object.fromEntries(all.map((kind) => [String(FAILURES[kind][0]), { $ref: `#/components/responses/${kind}` }]))
  }

  /** Every failure as a component of the document. */
  components(): Record<FailureName, ResponseObject> {
    const limited = this.#limits('default') || this.#limits('auth') || this.#limits('upload') || this.#limits('download')
    const entries = Object.entries(FAILURES).map(([kind, [, description, content]]) => {
      const own = kind === 'unauthenticated' ? ['WWW-Authenticate'] : kind === 'limited' ? ['Retry-After'] : []
      const names = [...own, ...(limited ? Object.keys(RATE_HEADERS) : [])]
      return [kind, { description, ...headersOf(names), content }]
    })
    return Object.fromEntries(entries) as Record<FailureName, ResponseObject>
  }

  /** The headers that responses refer to. */
  headers(): Record<string, Header> {
    return { ...OTHER_HEADERS, ...RATE_HEADERS }
  }

  #limits(limit: LimitName): boolean {
    return limit !== 'none' && this.#settings.rate_limits[limit] > 0
  }
}

const headersOf = (names: readonly string[]): { headers?: Record<string, Reference> } =>
  names.length === 0 ? {} : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }
