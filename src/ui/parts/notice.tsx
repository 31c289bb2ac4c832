import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

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
