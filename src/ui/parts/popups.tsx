import { cloneElement, type ReactElement, type ReactNode, useState } from 'react'
import type { DialogProps } from './dialog-popup.tsx'
import { lazyPart } from './lazy-part.ts'
import { LoadedPopup } from './loaded.tsx'
import type { PopoverProps } from './popover-popup.tsx'

/** What opens a menu. */
interface MenuTriggerProps {
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
  return isWanted ? (
    <LoadedPopup fallback={closed} onFail={() => setWanted(false)}>
      {children}
    </LoadedPopup>
  ) : (
    closed
  )
}

const DialogPopup = lazyPart(() => import('./dialog-popup.tsx').then((module) => module.DialogPopup))

/**
 * A modal dialog. The focus goes to the first input, otherwise to the first action, which is the one that changes nothing; it stays within
 * and returns to where it was.
 */
export function Dialog(props: DialogProps) {
  // It stays after it was closed, for the end of its animation.
  const [wasOpened, setOpened] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  const { isOpen, onClose } = props
  if (isOpen !== wasOpened && (isOpen || hasFailed)) {
    setOpened(isOpen)
    setFailed(false)
  }
  if (!isOpen && !wasOpened) return undefined
  const fail = () => {
    setFailed(true)
    onClose()
  }
  return (
    <LoadedPopup onFail={fail}>
      <DialogPopup {...props} />
    </LoadedPopup>
  )
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
  const fail = () => {
    change(false)
    setWanted(false)
  }
  const closed = cloneElement(trigger, { 'aria-haspopup': 'dialog', 'aria-expanded': false, onClick: () => change(true) })
  if (isOpen === true && !isWanted) setWanted(true)
  if (!isWanted) return closed
  return (
    <LoadedPopup fallback={closed} onFail={fail}>
      <PopoverPopup {...props} isOpen={isOpen ?? isOpened} onOpenChange={change} />
    </LoadedPopup>
  )
}
