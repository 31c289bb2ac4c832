import { type Action, ANONYMOUS } from '../../auth/permissions.ts'
import type { Settings } from '../../config/settings.ts'
import type { Model } from '../../model/model.ts'
import type { AccessRules } from '../../service/access/access-rules.ts'
import { TOKEN_OPTIONAL } from './operation.ts'
import type { Failure } from './responses.ts'

/** Root path of each part of the API, relative to the base path. */
export interface Roots {
  readonly models: string
  readonly auth: string
  readonly views: string
  readonly webhooks: string
  readonly snapshots: string
  readonly reset: string
  readonly history: string
  readonly events: string
  readonly search: string
  readonly site: string
  readonly lint: string
  readonly mock: string
  readonly document: string
}

/** Failures of operations that read records. */
export const READ: readonly Failure[] = ['badRequest', 'unauthenticated', 'forbidden', 'notJson', 'unavailable']
/** Failures of operations that write records. */
export const WRITE: readonly Failure[] = [
  'badWrite',
  'unauthenticated',
  'forbidden',
  'conflict',
  'tooLarge',
  'notJson',
  'unavailable',
]

/** Failures of reads that need no permission on a model. */
export const READ_OPEN: readonly Failure[] = ['badRequest', 'notJson']

/** Security of the operations that describe the project, by the setting `views_auth`. */
export const access = ({ views_auth }: Settings) => (views_auth === 'required' ? {} : { security: TOKEN_OPTIONAL })

/** Failures that `views_auth: required` adds to those operations. */
export const refusals = ({ views_auth }: Settings): readonly Failure[] => (views_auth === 'required' ? ['unauthenticated'] : [])

/** Security of an operation that needs no token for some records. */
export const withoutToken = (access: AccessRules, action: Action, model: Model) =>
  access.may(ANONYMOUS, action, model) ? { security: TOKEN_OPTIONAL } : {}
