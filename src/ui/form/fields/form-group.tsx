import { type ReactNode, useEffect, useState } from 'react'

interface FormGroupProps {
  readonly title: string
  readonly isCollapsed: boolean
  /** Unfolds the group, so that no message stays unseen. */
  readonly hasErrors: boolean
  readonly children: ReactNode
}

/** Fields under a title that folds them. */
export function FormGroup({ title, isCollapsed, hasErrors, children }: FormGroupProps) {
  const [isOpen, setOpen] = useState(!isCollapsed)
  useEffect(() => {
    if (hasErrors) setOpen(true)
  }, [hasErrors])
  return (
    <details className="form-group" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="form-group-title">
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  )
}
