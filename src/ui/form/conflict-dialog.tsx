import '../styles/record-dialogs.css'
import { useId, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { fieldOf } from '../data/site.ts'
import { type FormView, titleOf } from '../data/views.ts'
import { ValueView } from '../panels/changes-table.tsx'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { Dialog } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'
import type { Conflict } from './use-record-edits.ts'
import type { Difference, Side } from './versions.ts'

interface ConflictDialogProps {
  readonly conflict: Conflict
  readonly model: SiteModel
  readonly form: FormView
  readonly base: AnyRecord
  readonly onClose: () => void
  readonly onResolve: (sides: Readonly<Record<string, Side>>, isSaving: boolean) => void
}

/** Shows the fields that two people have changed, mine beside theirs, and lets each be taken. */
export function ConflictDialog({ conflict, model, form, base, onClose, onResolve }: ConflictDialogProps) {
  const text = useText()
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({})
  const { differences, theirs } = conflict
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.conflict.title}
      description={differences.length === 0 ? text.conflict.same : text.conflict.explanation}
      shape="wide"
      actions={
        <>
          <Button kind="quiet" onClick={() => onResolve(sides, false)}>
            {text.conflict.apply}
          </Button>
          <Button kind="primary" onClick={() => onResolve(sides, true)}>
            {text.conflict.save}
          </Button>
        </>
      }
    >
      <div className="differences">
        {differences.map((difference) => (
          <DifferenceView
            key={difference.name}
            difference={difference}
            model={model}
            form={form}
            base={base}
            theirs={theirs.data}
            side={sides[difference.name] ?? difference.proposed}
            onChange={(side) => setSides((former) => ({ ...former, [difference.name]: side }))}
          />
        ))}
      </div>
    </Dialog>
  )
}

interface DifferenceViewProps {
  readonly difference: Difference
  readonly model: SiteModel
  readonly form: FormView
  readonly base: AnyRecord
  readonly theirs: AnyRecord
  readonly side: Side
  readonly onChange: (side: Side) => void
}

function DifferenceView({ difference, model, form, base, theirs, side, onChange }: DifferenceViewProps) {
  const text = useText().conflict
  const group = useId()
  const { name, isContested } = difference
  const field = fieldOf(model, name)
  const view = form.fields.find((each) => each.name === name)
  if (field === undefined || view === undefined) return undefined
  return (
    <fieldset className="difference">
      <legend className="difference-title">
        {titleOf(view, field)}
        {isContested && <Chip color="orange">{text.contested}</Chip>}
      </legend>
      {(['mine', 'theirs'] as const).map((each) => (
        <label key={each} className="difference-side" data-chosen={side === each || undefined}>
          <span className="difference-choice">
            <input type="radio" name={group} checked={side === each} onChange={() => onChange(each)} />
            {text[each]}
          </span>
          <span className="difference-value">
            <ValueView field={field} view={view} value={difference[each]} record={each === 'mine' ? base : theirs} />
          </span>
        </label>
      ))}
    </fieldset>
  )
}
