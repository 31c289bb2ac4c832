import type { ReactNode } from 'react'

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
