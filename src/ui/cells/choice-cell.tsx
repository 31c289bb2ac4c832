import type { SiteField } from '../../client/client.ts'
import type { FieldView } from '../data/views.ts'
import { Chip } from '../parts/chip.tsx'
import { choiceOf } from '../widgets/choices/choices.ts'

interface ChoiceCellProps {
  readonly field: SiteField
  readonly view: FieldView
  /** One of the choices, or a list of them. */
  readonly value: unknown
}

/** Choices as chips, with their labels and colours. */
export function ChoiceCell({ field, view, value }: ChoiceCellProps) {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return (
    <span className="cell-chips">
      {values.map((each) => {
        const { key, label, color } = choiceOf(each, view, field)
        return (
          <Chip key={key} color={color}>
            {label}
          </Chip>
        )
      })}
    </span>
  )
}
