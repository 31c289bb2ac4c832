import { AdminError } from '../../client/client.ts'
import { LoadFailure } from '../load-failure.ts'
import type { Text } from './en.ts'

/** The message of an error: that of the server, except where the page has one in the language of the user. */
export function errorMessage(error: unknown, text: Text['errors']): string {
  if (error instanceof AdminError && error.type === 'network') return text.offline
  if (error instanceof LoadFailure) return text.notLoaded
  if (error instanceof AdminError && error.type === 'rate_limit' && error.retryAfter !== undefined) {
    return text.tooManyRequests(error.retryAfter)
  }
  return text.fromServer(error instanceof Error ? error.message : String(error))
}
