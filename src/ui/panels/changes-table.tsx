import { useLaterText } from '../text/later.ts'
import '../styles/record-dialogs.css'
import type { HistoryEntry, SiteField, SiteModel } from '../../client/client.ts'
import { Cell, LazyFiles } from '../cells/cell.tsx'
import type { AnyRecord } from '../data/records.ts'
import { idsOf } from '../data/related.ts'
import { fieldOf } from '../data/site.ts'
import { type FieldView, type FormView, labelIn } from '../data/views.ts'
import { DataTable } from '../parts/table.tsx'
import { takesFiles } from '../widgets/file-fields.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { useRelated } from '../widgets/use-related.ts'

interface ChangesTableProps {
  readonly entry: Pick<HistoryEntry, 'action' | 'changes'>
  /** The model of the record; undefined for one that the project no longer has. */
  readonly model: SiteModel | undefined
  /** A form that names the fields and shows their values. */
  readonly form?: FormView | undefined
}

/** Fields that every change stamps. */
const STAMPS = new Set(['created_at', 'updated_at'])

/** The changes of an entry without the times that every change stamps. */
export const ownChanges = ({ changes }: Pick<HistoryEntry, 'changes'>): HistoryEntry['changes'] =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => !STAMPS.has(name)))

/** A created record has no old values, a deleted one no new ones. */
const SIDES = { create: ['after'], update: ['before', 'after'], delete: ['before'] } as const

/** The fields that an entry of a history changed, with their old and new values. */
export function ChangesTable({ entry: { action, changes }, model, form }: ChangesTableProps) {
  const text = useLaterText().history
  const sides = SIDES[action]
  return (
    <DataTable label={text.values} columns={[text.field, ...sides.map((side) => text[side])]} shape="history">
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
    </DataTable>
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

interface ValueViewProps {
  readonly field: SiteField
  readonly view?: FieldView | undefined
  /** The value as widgets edit it, with ids for related records. */
  readonly value: unknown
  /** A record that may name the related records. */
  readonly record?: AnyRecord | undefined
}

/** A value as widgets edit it, to read. */
export function ValueView({ field, view, value, record }: ValueViewProps) {
  if (value instanceof Unparsed) return value.text
  if (takesFiles(field)) return <LazyFiles value={value} isImage={field.type === 'image'} />
  if (field.relation !== null && value !== null) return <RelatedView field={field} view={view} value={value} record={record} />
  return <Cell field={field} view={view} value={value} />
}

function RelatedView({ field, view, value, record }: ValueViewProps) {
  const ids = idsOf(value)
  const { target, relatedOf } = useRelated(field, record, ids)
  const nested = ids.map((id) => ({ id, [target?.display_field ?? 'id']: relatedOf(id).label ?? id }))
  if (Array.isArray(value)) return <Cell field={field} view={view} value={nested} />
  return <Cell field={field} view={view} value={ids[0]} record={{ id: 0, [field.relation?.name ?? '']: nested[0] }} />
}
