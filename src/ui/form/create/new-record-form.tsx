import type { ReactNode } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import type { FormView } from '../../data/views.ts'
import { FormFields } from '../fields/form-fields.tsx'
import { FormFrame } from '../form-frame.tsx'
import type { useNewRecord } from './use-new-record.ts'

interface NewRecordFormProps {
  readonly form: FormView
  readonly model: SiteModel
  readonly state: ReturnType<typeof useNewRecord>
  readonly onSave: () => void
  /** Number of the attempt: the first input gets the focus when it changes. */
  readonly round: number
  /** The buttons. */
  readonly actions: ReactNode
}

/** The form of a record that does not exist yet. */
export function NewRecordForm({ form, model, state, onSave, round, actions }: NewRecordFormProps) {
  const { values, setValue, writable, hidden, problems, isBusy } = state
  return (
    <FormFrame
      {...{ form, model, problems, onSave, round, actions }}
      shown={writable.filter((name) => !hidden.has(name))}
      isLocked={isBusy}
    >
      <FormFields
        {...{ form, model, writable, hidden, values }}
        record={undefined}
        onChange={setValue}
        errors={problems?.fields ?? {}}
        wasTried={problems !== undefined}
      />
    </FormFrame>
  )
}
