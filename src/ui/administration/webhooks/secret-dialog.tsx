import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/popups/dialog.tsx'
import { useText } from '../../text/text.tsx'
import { CopyField } from './copy-field.tsx'

interface SecretDialogProps {
  readonly secret: string
  readonly description: string
  readonly onClose: () => void
}

/** Escape must not close the dialog: the secret would be lost. */
const stay = () => {}

/** Shows the secret of a webhook, which the server does not tell again. Only its button closes it. */
export function SecretDialog({ secret, description, onClose }: SecretDialogProps) {
  const text = useText()
  return (
    <Dialog
      isOpen
      onClose={stay}
      isDismissible={false}
      title={text.webhooks.secretTitle}
      description={description}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.webhooks.secretKept}
        </Button>
      }
    >
      <CopyField label={text.webhooks.secret} value={secret} />
    </Dialog>
  )
}
