import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { useText } from '../../text/text.tsx'
import type { DialogProps } from './dialog-props.ts'

/** Inputs that may take the focus when a dialog opens. */
const INPUT = 'input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled)'

/** The loaded form of `Dialog`. */
export function DialogPopup(props: DialogProps) {
  const { isOpen, onClose, title, description, children, actions, shape = 'small', isDismissible = true } = props
  const text = useText()
  const popup = useRef<HTMLDivElement>(null)
  const firstFocus = () =>
    shape === 'side' || popup.current?.querySelector<HTMLElement>(`.dialog-body :is(${INPUT}), .dialog-actions button`) || true
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()} disablePointerDismissal={!isDismissible}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup ref={popup} initialFocus={firstFocus} className={`dialog dialog-${shape}`}>
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
