import { AdminError } from '../../client/client.ts'
import type { Text } from '../text/en.ts'
import { useText } from '../text/text.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** A failed request: the server's message, the id to quote, and a button that tries again. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const text = useText()
  return (
    <Notice kind="error" actions={onRetry !== undefined && <Button onClick={onRetry}>{text.common.retry}</Button>}>
      <FailureText error={error} />
    </Notice>
  )
}

/** The text of a failed request, with the id to quote if the server failed. */
export function FailureText({ error }: { readonly error: unknown }) {
  const text = useText()
  const message = messageOf(error, text.errors)
  // The log says more only of failures of the server.
  const isInternal = error instanceof AdminError && (error.status ?? 0) >= 500
  const requestId = isInternal ? error.requestId : undefined
  return (
    <>
      <p>{message}</p>
      {requestId !== undefined && <p className="request-id">{text.errors.requestId(requestId)}</p>}
    </>
  )
}

/** The message of an error: that of the server, except where the page has one in the language of the user. */
export function messageOf(error: unknown, text: Text['errors']): string {
  if (error instanceof AdminError && error.type === 'network') return text.offline
  if (error instanceof AdminError && error.type === 'rate_limit' && error.retryAfter !== undefined) {
    return text.tooManyRequests(error.retryAfter)
  }
  return error instanceof Error ? error.message : String(error)
}
