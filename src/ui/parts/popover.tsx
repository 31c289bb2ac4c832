import { cloneElement, Suspense, useState } from 'react'
import { lazyPart } from './lazy-part.ts'
import type { PopoverProps } from './popover-popup.tsx'

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
