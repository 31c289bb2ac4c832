import type { ComponentProps, ReactNode } from 'react'

interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` for the one main action of a page or dialog. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  /** Shown before the text. */
  readonly icon?: ReactNode
  /** True while the action runs: the button keeps its size and does nothing. */
  readonly isBusy?: boolean
}

/** A button with a text. A busy button stays focusable, so that the focus is not lost. */
export function Button({ kind = 'plain', icon, isBusy = false, children, className, onClick, ...props }: ButtonProps) {
  const classes = ['button', `button-${kind}`, className].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      {...props}
      className={classes}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || props['aria-disabled']}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon}
      <span className="button-text">{children}</span>
    </button>
  )
}

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
