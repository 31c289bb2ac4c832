import { memo } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import { Cell, isNumeric } from '../../cells/cell.tsx'
import { NameCell } from '../../cells/name-cell.tsx'
import { RecordLink } from '../../cells/record-link.tsx'
import type { AnyRecord } from '../../data/records.ts'
import { labelOf } from '../../data/related.ts'
import type { FormView } from '../../data/views.ts'
import { useText } from '../../text/text.tsx'
import type { Column } from './columns.ts'
import { EditableCell } from './editable-cell.tsx'

interface RecordRowProps {
  readonly model: SiteModel
  readonly record: AnyRecord
  readonly columns: readonly Column[]
  /** Name of the column that links to the record. */
  readonly link: string | undefined
  /** Fields that can be edited in their cells, by the form. */
  readonly editable: ReadonlySet<string>
  readonly form: FormView | undefined
  readonly isSelected: boolean
  readonly onToggle: (id: number, isRange: boolean) => void
  readonly setEditedId: (id: number | undefined) => void
}

/** A record of a list. It renders again only if the record or its selection changes. */
export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { model, record, columns, link, editable, form, isSelected, onToggle, setEditedId } = props
  const text = useText().list
  const { id } = record
  return (
    <tr data-selected={isSelected || undefined}>
      <td className="list-check">
        <label className="tick">
          <input
            type="checkbox"
            aria-label={text.select(labelOf(record, model.display_field) ?? `#${id}`)}
            checked={isSelected}
            onChange={() => {}}
            onClick={(event) => onToggle(id, event.shiftKey)}
          />
        </label>
      </td>
      {columns.map(({ name, field, view }) => {
        const value = record[name]
        const isLink = name === link
        const shown = isLink ? (
          <RecordLink model={model.key} id={String(id)} className="list-link">
            <NameCell field={field} view={view} value={value} record={record} />
          </RecordLink>
        ) : (
          <Cell field={field} view={view} value={value} record={isRelated(field) ? record : undefined} />
        )
        const classes = [isNumeric(field) && 'number', isLink && 'list-sticky'].filter(Boolean).join(' ')
        return (
          <td key={name} className={classes || undefined}>
            {form !== undefined && editable.has(name) ? (
              <EditableCell {...{ model, record, name, form, setEditedId }}>{shown}</EditableCell>
            ) : (
              shown
            )}
          </td>
        )
      })}
    </tr>
  )
})

/** Only cells of relations read other members of the record; the others need not render again with them. */
const isRelated = ({ type }: Column['field']): boolean => type === 'foreignkey' || type === 'one_to_one'
