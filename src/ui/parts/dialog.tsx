import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from './lazy-part.ts'

export interface DialogProps {
  readonly isOpen: boolean
  /** Called when the user closes the dialog by Escape, by the close button or beside it. */
  readonly onClose: () => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons at the end of the dialog, the main one last. */
  readonly actions?: ReactNode
  /** `side` fills the height at the left edge, as a menu does on a phone. */
  readonly shape?: 'small' | 'wide' | 'side' | 'top'
  /** False if the dialog has no close button and a click beside it does nothing. */
  readonly isDismissible?: boolean
}

const DialogPopup = lazyPart(() => import('./dialog-popup.tsx').then((module) => module.DialogPopup))

/**
 * A modal dialog. The focus goes to the first input, otherwise to the first action, which is the one that changes nothing; it stays within
 * and returns to where it was.
 */
export function Dialog(props: DialogProps) {
  // It stays after it was closed, for the end of its animation.
  const [wasOpened, setOpened] = useState(false)
  if (props.isOpen && !wasOpened) setOpened(true)
  if (!props.isOpen && !wasOpened) return undefined
  return (
    <Suspense>
      <DialogPopup {...props} />
    </Suspense>
  )
}
