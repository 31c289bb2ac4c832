import { Button } from '../../parts/button.tsx'
import { useText } from '../../text/text.tsx'

interface SaveActionsProps {
  /** The text of the button that saves. */
  readonly label: string
  readonly isBusy: boolean
  readonly isChanged: boolean
  readonly onSave: () => void
  readonly onCancel: () => void
}

/** The buttons below the edits of a panel; both are disabled without a change. */
export function SaveActions({ label, isBusy, isChanged, onSave, onCancel }: SaveActionsProps) {
  const { common } = useText()
  return (
    <div className="actions">
      <Button kind="primary" isBusy={isBusy} disabled={!isChanged} onClick={onSave}>
        {label}
      </Button>
      <Button disabled={!isChanged} onClick={onCancel}>
        {common.cancel}
      </Button>
    </div>
  )
}
