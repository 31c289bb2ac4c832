import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from './lazy-part.ts'

/** What opens a popover. */
export interface PopoverTriggerProps {
  readonly onClick?: (() => void) | undefined
  readonly 'aria-haspopup'?: 'dialog'
  readonly 'aria-expanded'?: boolean
}

export interface PopoverProps {
  readonly trigger: ReactElement<PopoverTriggerProps>
  /** Name of the popup for assistive technologies. */
  readonly label: string
  readonly children: ReactNode
  /** Default: the trigger decides. */
  readonly isOpen?: boolean
  readonly onOpenChange?: (isOpen: boolean) => void
}

const PopoverPopup = lazyPart(() => import('./popover-popup.tsx').then((module) => module.PopoverPopup))

/** A small area of controls that opens beside a button and is not modal. Until it opens for the first time it is the button alone. */
export function Popover(props: PopoverProps) {
  const { trigger, isOpen, onOpenChange } = props
  const [isWanted, setWanted] = useState(false)
  const [isOpened, setOpened] = useState(false)
  const change = (open: boolean) => {
    setWanted(true)
    setOpened(open)
    onOpenChange?.(open)
  }
  const closed = cloneElement(trigger, { 'aria-haspopup': 'dialog', 'aria-expanded': false, onClick: () => change(true) })
  if (isOpen === true && !isWanted) setWanted(true)
  if (!isWanted) return closed
  return (
    <Suspense fallback={closed}>
      <PopoverPopup {...props} isOpen={isOpen ?? isOpened} onOpenChange={change} />
    </Suspense>
  )
}
