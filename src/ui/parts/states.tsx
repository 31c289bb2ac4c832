import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { AdminError } from '../../client/client.ts'
import { errorMessage } from '../text/error-message.ts'
import { useText } from '../text/text.tsx'
import { Button } from './button.tsx'
import { passing } from './pass-focus.ts'

/** Says why there is nothing, and what can be done. */
export function EmptyState({
  title,
  children,
  actions,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <div className="empty">
      <h2 className="empty-title">{title}</h2>
      {children !== undefined && <p className="empty-text">{children}</p>}
      {actions !== undefined && <div className="empty-actions">{actions}</div>}
    </div>
  )
}

/** A failed request: the server's message, the id to quote, and a button that tries again. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const text = useText()
  return (
    <Notice kind="error" actions={onRetry !== undefined && <Button onClick={passing(onRetry)}>{text.common.retry}</Button>}>
      <FailureText error={error} />
    </Notice>
  )
}

/** The text of a failed request, with the id to quote if the server failed. */
export function FailureText({ error }: { readonly error: unknown }) {
  const text = useText()
  const message = errorMessage(error, text.errors)
  // The log says more only of failures of the server.
  const isInternal = error instanceof AdminError && (error.status ?? 0) >= 500
  const requestId = isInternal ? error.requestId : undefined
  return (
    <>
      <p>{message}</p>
      {requestId !== undefined && (
        <details className="request-id">
          <summary>{text.errors.details}</summary>
          <p>{text.errors.requestId(requestId)}</p>
        </details>
      )}
    </>
  )
}

const ICONS = { error: CircleAlert, warning: TriangleAlert, info: Info, success: CircleCheck } as const

interface NoticeProps {
  readonly kind: keyof typeof ICONS
  readonly children: ReactNode
  /** Buttons beside the message. */
  readonly actions?: ReactNode
}

/** A message within a page. Errors are announced at once. */
export function Notice({ kind, children, actions }: NoticeProps) {
  const Icon = ICONS[kind]
  return (
    <div className={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon size={16} aria-hidden />
      <div className="notice-text">{children}</div>
      {actions}
    </div>
  )
}

interface SkeletonProps {
  /** Number of lines to show. */
  readonly lines?: number
  /** `fields` has the size of labels with their inputs. */
  readonly shape?: 'lines' | 'fields'
}

/** Stands for content that is being loaded. */
export function Skeleton({ lines = 8, shape = 'lines' }: SkeletonProps) {
  const text = useText()
  return (
    <div className={`skeleton skeleton-${shape}`} role="status" aria-label={text.common.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton-line" />
      ))}
    </div>
  )
}
