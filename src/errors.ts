/**
 * The table of error codes. `docs/errors.md` documents them.
 *
 * - `status`: the HTTP status; `exitCode`: the exit code of the CLI (1 the task failed, 2 wrong usage or configuration).
 * - `body`: the specification's error shape. `A` is `{detail: {error}}`, `B` is `{error, status_code, details}`.
 * - `message`: the short public sentence; it is the `error` member of a shape B body.
 */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, exitCode: 1, body: 'A', message: 'Validation failed' },
  UPDATE_TARGET_MISSING: { status: 400, exitCode: 1, body: 'A', message: 'Nothing to update' },
  FORM_NOT_FOUND: { status: 400, exitCode: 1, body: 'A', message: 'Form not found' },
  INVALID_REQUEST: { status: 400, exitCode: 1, body: 'B', message: 'Invalid request data' },
  MALFORMED_JSON: { status: 400, exitCode: 1, body: 'B', message: 'Malformed JSON' },
  ANSWER_TOO_LARGE: { status: 400, exitCode: 1, body: 'B', message: 'Answer too large' },
  UNAUTHENTICATED: { status: 401, exitCode: 1, body: 'B', message: 'Authentication required' },
  INSUFFICIENT_USER_AUTHENTICATION: { status: 401, exitCode: 1, body: 'B', message: 'insufficient_user_authentication' },
  FORBIDDEN: { status: 403, exitCode: 1, body: 'B', message: 'Insufficient permissions' },
  IDENTITY_NOT_LINKED: { status: 403, exitCode: 1, body: 'B', message: 'Identity is not linked' },
  MODEL_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'Model not found' },
  RECORD_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'Record not found' },
  UPLOAD_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'Upload not found' },
  FILE_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'File not found' },
  ACTION_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'Action not found' },
  ROUTE_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'Resource not found' },
  METHOD_NOT_ALLOWED: { status: 405, exitCode: 1, body: 'B', message: 'Method not allowed' },
  HISTORY_OFF: { status: 404, exitCode: 1, body: 'B', message: 'History is not recorded' },
  NOT_SET_UP: { status: 404, exitCode: 1, body: 'B', message: 'Not set up' },
  SNAPSHOT_NOT_FOUND: { status: 404, exitCode: 1, body: 'B', message: 'Snapshot not found' },
  RECORD_REFERENCED: { status: 409, exitCode: 1, body: 'B', message: 'Record is referenced' },
  RESTORE_REFUSED: { status: 409, exitCode: 1, body: 'B', message: 'Record cannot be restored' },
  ACTION_REFUSED: { status: 409, exitCode: 1, body: 'B', message: 'Action is not possible' },
  LAST_SUPERUSER: { status: 409, exitCode: 1, body: 'B', message: 'Last superuser' },
  LAST_WAY_IN: { status: 409, exitCode: 1, body: 'B', message: 'Last way in' },
  WRITE_CONFLICT: { status: 409, exitCode: 1, body: 'B', message: 'Write conflict' },
  CODE_REFUSED: { status: 409, exitCode: 1, body: 'B', message: 'Refused by the project' },
  SNAPSHOT_EXISTS: { status: 409, exitCode: 1, body: 'B', message: 'Snapshot exists' },
  PRECONDITION_FAILED: { status: 412, exitCode: 1, body: 'B', message: 'Precondition failed' },
  UPLOAD_QUOTA: { status: 409, exitCode: 1, body: 'B', message: 'Too many uploads wait for their records' },
  FILE_TOO_LARGE: { status: 413, exitCode: 1, body: 'A', message: 'File too large' },
  PAYLOAD_TOO_LARGE: { status: 413, exitCode: 1, body: 'B', message: 'Payload too large' },
  INVALID_IMAGE: { status: 422, exitCode: 1, body: 'B', message: 'Image cannot be read' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exitCode: 1, body: 'B', message: 'Unsupported media type' },
  RANGE_NOT_SATISFIABLE: { status: 416, exitCode: 1, body: 'B', message: 'Range not satisfiable' },
  RATE_LIMITED: { status: 429, exitCode: 1, body: 'B', message: 'Rate limit exceeded' },
  INTERNAL: { status: 500, exitCode: 1, body: 'B', message: 'Internal server error' },
  STORAGE_FULL: { status: 507, exitCode: 1, body: 'B', message: 'Storage is full' },
  HOOK_LOOP: { status: 508, exitCode: 1, body: 'B', message: 'Code calls itself without end' },
  QUEUE_FULL: { status: 503, exitCode: 1, body: 'B', message: 'Queue is full' },
  IMAGES_BUSY: { status: 503, exitCode: 1, body: 'B', message: 'Images are busy' },
  IMAGES_UNAVAILABLE: { status: 503, exitCode: 1, body: 'B', message: 'Images are unavailable' },
  UPLOADS_BUSY: { status: 503, exitCode: 1, body: 'B', message: 'Too many uploads' },
  CODE_TIMEOUT: { status: 503, exitCode: 1, body: 'B', message: 'Code took too long' },
  SERVER_NOT_READY: { status: 503, exitCode: 1, body: 'B', message: 'Server is not ready' },
  SEARCH_NOT_READY: { status: 503, exitCode: 1, body: 'B', message: 'Search is not ready' },
  PROVIDER_UNAVAILABLE: { status: 503, exitCode: 1, body: 'B', message: 'Provider is unavailable' },
  STORE_UNAVAILABLE: { status: 503, exitCode: 1, body: 'B', message: 'Storage unavailable' },
  TABLES_CHANGED: { status: 503, exitCode: 1, body: 'B', message: 'Tables have changed' },
  MEMORY_FULL: { status: 503, exitCode: 1, body: 'B', message: 'Memory is nearly full' },
  OUTCOME_UNKNOWN: { status: 503, exitCode: 1, body: 'B', message: 'Outcome unknown' },
  DATA_IN_USE: { status: 503, exitCode: 1, body: 'B', message: 'Data folder is in use' },
  MIGRATION_NEEDED: { status: 500, exitCode: 1, body: 'B', message: 'Migration needed' },
  RENAME_CONFLICT: { status: 500, exitCode: 1, body: 'B', message: 'Rename conflict' },
  DATA_CORRUPT: { status: 500, exitCode: 1, body: 'B', message: 'Data file is damaged' },
  TASK_FAILED: { status: 500, exitCode: 1, body: 'B', message: 'Task failed' },
  CONFIG_INVALID: { status: 500, exitCode: 2, body: 'B', message: 'Invalid configuration' },
  USAGE: { status: 400, exitCode: 2, body: 'B', message: 'Wrong usage' },
} as const satisfies Record<string, ErrorEntry>

interface ErrorEntry {
  readonly status: number
  readonly exitCode: 1 | 2
  readonly body: 'A' | 'B'
  readonly message: string
}

export type ErrorCode = keyof typeof ERRORS

/** Messages by field name (or query parameter, or `<index>.<field>` in bulk operations). */
export type FieldMessages = Readonly<Record<string, readonly string[]>>

/** An error that is reported to the caller. `details` is public; `cause` is for the log only. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: string | FieldMessages
  /** Seconds after which a retry may succeed, if known (RFC 9110, Retry-After). */
  readonly retryAfter: number | undefined
  /** Further members of a body of shape B. */
  readonly members: Readonly<Record<string, unknown>> | undefined

  constructor(
    code: ErrorCode,
    details: string | FieldMessages,
    options?: { cause?: unknown; retryAfter?: number; members?: Readonly<Record<string, unknown>> },
  ) {
    super(typeof details === 'string' ? details : ERRORS[code].message, options)
    this.name = 'AppError'
    this.code = code
    this.details = details
    this.retryAfter = options?.retryAfter
    this.members = options?.members
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get exitCode(): number {
    return ERRORS[this.code].exitCode
  }
}
