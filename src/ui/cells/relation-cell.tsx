import type { SiteField } from '../../client/client.ts'
import { labelOf } from '../data/related.ts'
import { may, useModel } from '../data/site.ts'
import { useText } from '../text/text.tsx'
import { RecordLink } from './record-link.tsx'
import { textClass } from './text-class.ts'

interface RelationCellProps {
  readonly field: SiteField
  /** Id of the related record. */
  readonly value: unknown
  /** The related record with its display field, as far as the user may view it. */
  readonly related: unknown
}

/** A related record by name, as a link; by its id if the user may not view it. */
export function RelationCell({ field, value, related }: RelationCellProps) {
  const text = useText().cells
  const model = useModel(field.relation?.model ?? '')
  const id = String(value)
  if (model === undefined || !may(model, 'view')) {
    return (
      <span className="cell-id" title={text.notViewable}>
        #{id}
      </span>
    )
  }
  const name = (model.display_field === 'id' ? undefined : labelOf(related, model.display_field)) ?? `#${id}`
  return (
    <RecordLink model={model.key} id={id} className={textClass(name)}>
      {name}
    </RecordLink>
  )
}
