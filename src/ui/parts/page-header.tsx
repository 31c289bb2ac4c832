import type { ReactNode } from 'react'

interface PageHeaderProps {
  readonly title: ReactNode
  /** Link to the page above. */
  readonly above?: ReactNode
  /** Short facts beside the title. */
  readonly facts?: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
}

/** Title and actions of a page. */
export function PageHeader({ title, above, facts, actions }: PageHeaderProps) {
  return (
    <header className="page-header">
      {above !== undefined && <div className="page-above">{above}</div>}
      <h1 className="page-title">{title}</h1>
      {facts !== undefined && <div className="page-facts">{facts}</div>}
      {actions !== undefined && <div className="page-actions">{actions}</div>}
    </header>
  )
}
