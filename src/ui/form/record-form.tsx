import type { ReactNode } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { FormView } from '../data/views.ts'
import { FormFields } from './form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import { FormTables } from './form-tables.tsx'
import type { RecordEdits } from './use-record-edits.ts'

interface RecordFormProps {
  /** Id of the form, for a button outside of it that submits it. */
  readonly id?: string | undefined
  readonly model: SiteModel
  readonly form: FormView
  readonly edits: RecordEdits
  readonly onSave: () => void
  /** True while a save must not miss what is typed, since the form closes after it. */
  readonly isLocked?: boolean
  /** The buttons below the fields; none for a form that a header saves. */
  readonly actions?: ReactNode | undefined
}

/** The form of a record; without a field that the user may change, its values to read. */
export function RecordForm({ id, model, form, edits, onSave, isLocked = false, actions }: RecordFormProps) {
  const { base, writable, hidden, problems, rows } = edits
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
  const tables = <FormTables {...{ form, model, rows }} record={base} />
  if (writable.length === 0 && !rows.isWritable) {
    return (
      <div className="form">
        {fields}
        {tables}
      </div>
    )
  }
  return (
    <FormFrame
      id={id}
      form={form}
      model={model}
      problems={problems}
      rows={rows}
      shown={writable.filter((name) => !hidden.has(name))}
      values={edits.edits}
      onSave={onSave}
      isLocked={isLocked}
      actions={actions}
    >
      {fields}
      {tables}
    </FormFrame>
  )
}
