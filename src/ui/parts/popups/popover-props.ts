import type { ReactElement, ReactNode } from 'react'

/** What opens a popover. */
export interface PopoverTriggerProps {
  readonly onClick?: (() => void) | undefined
  readonly 'aria-haspopup'?: 'dialog'
  readonly 'aria-expanded'?: boolean
}

/** Properties of a popover. */
export interface PopoverProps {
  readonly trigger: ReactElement<PopoverTriggerProps>
  /** Name of the popup for assistive technologies. */
  readonly label: string
  readonly children: ReactNode
  /** Shown while the code of the contents is loaded; the first input then gets the focus. */
  readonly fallback?: ReactNode
  /** Default: the trigger decides. */
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
}
