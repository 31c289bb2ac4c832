import type { ReactNode } from 'react'

/** Properties of a dialog. */
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
