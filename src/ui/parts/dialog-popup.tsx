import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useText } from '../text/text.tsx'

/** Inputs that may take the focus when a dialog opens. */
const INPUT = ':is(input:not([type=hidden]), textarea, [role=combobox]):not(:disabled)'

/** The loaded form of `Dialog`. */
export function DialogPopup(props: DialogProps) {
  const { isOpen, onClose, title, description, children, actions, shape = 'small', isDismissible = true, returnTo } = props
  const text = useText()
  const popup = useRef<HTMLDivElement>(null)
  const firstFocus = () =>
    shape === 'side' ||
    popup.current?.querySelector<HTMLElement>(`.dialog-body ${INPUT}, .dialog-actions button`) ||
    popup.current ||
    true
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()} disablePointerDismissal={!isDismissible}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup ref={popup} initialFocus={firstFocus} finalFocus={returnTo} className={`dialog dialog-${shape}`}>
          <header className="dialog-header">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {isDismissible && (
              <Base.Close className="icon-button" aria-label={text.common.close}>
                <X size={16} aria-hidden />
              </Base.Close>
            )}
          </header>
          {description !== undefined && <Base.Description className="dialog-description">{description}</Base.Description>}
          {children !== undefined && <div className="dialog-body">{children}</div>}
          {actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

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
  /** `side` fills the height at the left edge, as a menu does on a phone; `drawer` at the right, beside a form; `full` fills the window. */
  readonly shape?: 'small' | 'wide' | 'side' | 'drawer' | 'top' | 'full'
  /** The element that gets the focus when the dialog closes, where it is not the one that had it before; null for that. */
  readonly returnTo?: (() => HTMLElement | null) | undefined
  /** False if the dialog has no close button and a click beside it does nothing. */
  readonly isDismissible?: boolean
}
