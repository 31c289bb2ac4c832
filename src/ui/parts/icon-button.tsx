import type { ComponentProps, ReactNode } from 'react'

interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does, for assistive technologies and as a tooltip. */
  readonly label: string
  readonly icon: ReactNode
}

/** A button that shows an icon only. */
export function IconButton({ label, icon, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      data-tooltip=""
      {...props}
      className={['icon-button', className].filter(Boolean).join(' ')}
    >
      {icon}
    </button>
  )
}
