import { Copy } from 'lucide-react'
import { useId, useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'

interface SecretDialogProps {
  readonly secret: string
  readonly description: string
  readonly onClose: () => void
}

/** Escape must not close the dialog: the secret would be lost. */
const stay = () => {}

/** Shows the secret of a webhook, which the server does not tell again. Only its button closes it. */
export function SecretDialog({ secret, description, onClose }: SecretDialogProps) {
  const later = useLaterText()
  return (
    <Dialog
      isOpen
      onClose={stay}
      isDismissible={false}
      title={later.webhooks.secretTitle}
      description={description}
      actions={
        <Button kind="primary" onClick={onClose}>
          {later.webhooks.secretKept}
        </Button>
      }
    >
      <CopyField label={later.webhooks.secret} value={secret} />
    </Dialog>
  )
}

/** A text that cannot be changed, with a button that copies it. */
function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const text = useLaterText().webhooks
  const toasts = useToasts()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      toasts.done(text.copied)
    } catch {
      // Without https, and where the browser refuses, the text is selected for the keyboard.
      input.current?.select()
      toasts.done(text.selected)
    }
  }
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="copy-field">
        <input ref={input} id={id} className="input mono" readOnly value={value} onFocus={(event) => event.target.select()} />
        <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copy()}>
          {text.copy}
        </Button>
      </div>
    </div>
  )
}
