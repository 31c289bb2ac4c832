import type { SiteModel } from '../../client/client.ts'
import type { FormView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { FormFields } from './fields/form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import type { RecordEdits } from './use-record-edits.ts'

interface RecordFormProps {
  readonly model: SiteModel
  readonly form: FormView
  readonly edits: RecordEdits
  /** True if the record cannot be saved any more. */
  readonly isDeleted: boolean
  readonly onSave: () => void
}

/** The form of a record; without a field that the user may change, its values to read. */
export function RecordForm({ model, form, edits, isDeleted, onSave }: RecordFormProps) {
  const text = useText()
  const { base, writable, hidden, problems, isDirty, isBusy } = edits
  const fields = (
    <FormFields
      form={form}
      model={model}
      writable={writable}
      hidden={hidden}
      record={base}
      values={edits.edits}
      onChange={edits.setValue}
      errors={problems?.fields ?? {}}
      wasTried={problems !== undefined}
    />
  )
  if (writable.length === 0) return <div className="form">{fields}</div>
  const isIdle = !isDirty || isDeleted
  return (
    <FormFrame
      form={form}
      model={model}
      problems={problems}
      shown={writable.filter((name) => !hidden.has(name))}
      onSave={onSave}
      actions={
        <>
          {isDirty && (
            <Button kind="quiet" onClick={edits.discard}>
              {text.form.discard}
            </Button>
          )}
          <Button kind="primary" type="submit" isBusy={isBusy} aria-disabled={isIdle || undefined}>
            {text.common.save}
          </Button>
        </>
      }
    >
      {fields}
    </FormFrame>
  )
}
