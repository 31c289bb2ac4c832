import { Suspense, useState } from 'react'
import type { DialogProps } from './dialog-popup.tsx'
import { lazyPart } from './lazy-part.ts'

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
