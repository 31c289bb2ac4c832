import type { ComponentProps, ReactNode } from 'react'
import { Tooltip } from './tooltip.tsx'

interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does, for assistive technologies and on hover. */
  readonly label: string
  readonly icon: ReactNode
}

/** A button that shows an icon only. */
export function IconButton({ label, icon, className, ...props }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button type="button" aria-label={label} {...props} className={['icon-button', className].filter(Boolean).join(' ')}>
        {icon}
      </button>
    </Tooltip>
  )
}
