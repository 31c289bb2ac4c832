import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  /** What the button does. */
  readonly action: string
  readonly isBusy: boolean
  readonly error: unknown
  /** A word that has to be typed before the button works. */
  readonly word?: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something is done that cannot be undone. */
export function Confirm({ title, children, action, isBusy, error, word, onConfirm, onClose }: ConfirmProps) {
  const text = useText()
  const later = useLaterText()
  const form = useId()
  const [typed, setTyped] = useState('')
  const isReady = word === undefined || typed === word
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady && !isBusy) onConfirm()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button kind="danger" type="submit" form={form} isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <div>{children}</div>
        {word !== undefined && (
          <LabelledField label={later.tools.typeToConfirm(word)}>
            {(links) => (
              <input
                {...links}
                className="input"
                value={typed}
                autoComplete="off"
                autoCapitalize="none"
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </LabelledField>
        )}
      </form>
    </Dialog>
  )
}
