import { Button } from '../parts/button.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Dialog } from '../parts/popups.tsx'
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
