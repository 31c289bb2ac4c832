import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react'

/** What opens a menu. */
export interface MenuTriggerProps {
  readonly onClick?: () => void
  readonly 'aria-haspopup'?: 'menu'
  readonly 'aria-expanded'?: boolean
}

interface LazyMenuProps {
  readonly trigger: ReactElement<MenuTriggerProps>
  /** The menu with the same trigger, open at first; a lazy component, so that its code is loaded with the first click. */
  readonly children: ReactNode
}

/** A button that loads its menu when it is first used. */
export function LazyMenu({ trigger, children }: LazyMenuProps) {
  const [isWanted, setWanted] = useState(false)
  const closed = cloneElement(trigger, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: () => setWanted(true) })
  return isWanted ? <Suspense fallback={closed}>{children}</Suspense> : closed
}
