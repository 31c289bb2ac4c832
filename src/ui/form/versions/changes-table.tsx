import type { HistoryEntry, SiteModel } from '../../../client/client.ts'
import { fieldOf } from '../../data/site.ts'
import type { FormView } from '../../data/views.ts'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { labelIn } from '../fields/form-field.tsx'
import { ValueView } from '../fields/value-view.tsx'

interface ChangesTableProps {
  readonly entry: Pick<HistoryEntry, 'action' | 'changes'>
  /** The model of the record; undefined for one that the project no longer has. */
  readonly model: SiteModel | undefined
  /** A form that names the fields and shows their values. */
  readonly form?: FormView | undefined
}

/** A created record has no old values, a deleted one no new ones. */
const SIDES = { create: ['after'], update: ['before', 'after'], delete: ['before'] } as const

/** The fields that an entry of a history changed, with their old and new values. */
export function ChangesTable({ entry: { action, changes }, model, form }: ChangesTableProps) {
  const text = useText().history
  const sides = SIDES[action]
  return (
    <Table label={text.values} columns={[text.field, ...sides.map((side) => text[side])]} shape="history">
      {Object.entries(changes).map(([name, change]) => (
        <tr key={name}>
          <th scope="row">{labelIn(form, model, name)}</th>
          {change.secret === true ? (
            <td colSpan={sides.length} className="muted">
              {text.secret}
            </td>
          ) : (
            sides.map((side) => (
              <td key={side}>
                {change.hidden === true && change[side] === null ? (
                  <span className="muted">{text.hidden}</span>
                ) : (
                  <Value name={name} value={change[side]} model={model} form={form} />
                )}
              </td>
            ))
          )}
        </tr>
      ))}
    </Table>
  )
}

interface ValueProps extends Pick<ChangesTableProps, 'model' | 'form'> {
  readonly name: string
  readonly value: unknown
}

function Value({ name, value, model, form }: ValueProps) {
  const field = model === undefined ? undefined : fieldOf(model, name)
  // A field that the model no longer has.
  if (field === undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  return <ValueView field={field} view={form?.fields.find((each) => each.name === name)} value={value} />
}
