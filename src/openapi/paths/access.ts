import type { Settings } from '../../config/settings.ts'
import { TOKEN_OPTIONAL } from './operation.ts'
import type { Failure } from './responses.ts'

/** Where each part of the API begins, relative to the base path. */
export interface Roots {
  readonly models: string
  readonly auth: string
  readonly views: string
  readonly webhooks: string
  readonly snapshots: string
  readonly reset: string
  readonly mock: string
  readonly document: string
}

/** What reading records may fail with. */
export const READ: readonly Failure[] = ['badRequest', 'unauthenticated', 'forbidden', 'notJson', 'unavailable']
/** What writing records may fail with. */
export const WRITE: readonly Failure[] = [
  'badWrite',
  'unauthenticated',
  'forbidden',
  'conflict',
  'tooLarge',
  'notJson',
  'unavailable',
]

/** Of what is read without a model's permission. */
export const READ_OPEN: readonly Failure[] = ['badRequest', 'notJson']

/** Who may know how the project is made: everybody, or those with a token. */
export const access = ({ views_auth }: Settings) => (views_auth === 'required' ? {} : { security: TOKEN_OPTIONAL })

/** How those without a token are refused, where they are. */
export const refusals = ({ views_auth }: Settings): readonly Failure[] => (views_auth === 'required' ? ['unauthenticated'] : [])
