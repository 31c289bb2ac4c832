import '../styles/records.css'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { FormFields, useHidden } from './form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import { formOfRow, type RowForms, rowValues, settableIn } from './row-forms.ts'
import { useCloseGuard } from './use-leave-guard.tsx'
import type { RowDraft } from './use-rows.ts'
import { changedFields, type FormValues } from './values.ts'

interface RowDrawerProps {
  readonly forms: RowForms
  readonly draft: RowDraft
  readonly title: string
  /** Takes the edits into the table; they are stored with the record. */
  readonly onApply: (edits: FormValues) => void
  readonly onClose: () => void
}

/** All fields of a row, at the side of the form that stores it. */
export function RowDrawer(props: RowDrawerProps) {
  const { forms, draft, title, onClose } = props
  const [edits, setEdits] = useState<FormValues>(draft.edits)
  const changed = changedFields(forms.model, settableIn(forms, draft), rowValues(draft), edits)
  const { close, guard } = useCloseGuard(Object.keys(changed).length > 0, onClose)
  return (
    <Dialog isOpen onClose={close} title={title} shape="drawer">
      <Loaded fallback={<Skeleton shape="fields" lines={8} />}>
        <RowFields {...props} {...{ edits, setEdits }} onClose={close} />
      </Loaded>
      {guard}
    </Dialog>
  )
}

interface RowFieldsProps extends RowDrawerProps {
  readonly edits: FormValues
  readonly setEdits: Dispatch<SetStateAction<FormValues>>
}

function RowFields({ forms, draft, edits, setEdits, onApply, onClose }: RowFieldsProps) {
  const text = useText().common
  const later = useLaterText().rows
  const { model, relation } = forms
  const whole = formOfRow(forms, draft)
  const form = {
    name: '',
    view_type: 'form' as const,
    ...whole,
    fields: (whole?.fields ?? []).filter(({ name }) => name !== relation),
  }
  const record = draft.base?.record
  const values = { ...draft.start, ...edits }
  const [stable] = useState(form)
  const hidden = useHidden(stable, model, record, values)
  const writable = settableIn(forms, draft)
  const hasErrors = Object.keys(draft.errors).length > 0
  return (
    <FormFrame
      {...{ form, model, values }}
      problems={hasErrors ? { error: undefined, fields: draft.errors } : undefined}
      shown={writable.filter((name) => !hidden.has(name))}
      onSave={() => onApply(edits)}
      round={0}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit">
            {later.apply}
          </Button>
        </>
      }
    >
      <FormFields
        {...{ form, model, writable, hidden, record, values }}
        onChange={(name, value) => setEdits((former) => ({ ...former, [name]: value }))}
        errors={draft.errors}
        wasTried={hasErrors}
      />
    </FormFrame>
  )
}
