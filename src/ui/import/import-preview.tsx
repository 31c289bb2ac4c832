import type { ImportPreview, SiteField, SiteModel } from '../../client/client.ts'
import { Cell } from '../cells/cell.tsx'
import { fieldOf } from '../data/site.ts'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { fieldNameOf, type ShownMap, titledErrors } from './shown-map.ts'

interface PreviewTableProps {
  readonly model: SiteModel
  readonly map: ShownMap
  readonly rows: ImportPreview['rows']
}

/** The first rows as they will be stored, with their faults at their cells. */
export function PreviewTable({ model, map, rows }: PreviewTableProps) {
  const text = useLaterText().import
  const locale = useLocale()
  const fields = map.columns.flatMap(({ field }) => fieldOf(model, fieldNameOf(field)) ?? [])
  const shown = new Set(fields.map(({ name }) => name))
  const faults = rows.map((row) => titledErrors(model, row))
  const others = faults.map((errors) => Object.entries(errors).flatMap(([name, messages]) => (shown.has(name) ? [] : messages)))
  const hasOthers = others.some((messages) => messages.length > 0)
  const columns = [
    { label: text.row, kind: 'number' as const },
    ...fields.map(({ label }) => label),
    ...(hasOthers ? [text.otherFaults] : []),
  ]
  return (
    <DataTable label={text.previewTitle} columns={columns}>
      {rows.map((row, index) => (
        <tr key={row.row}>
          <td className="number">{row.row.toLocaleString(locale)}</td>
          {fields.map((field) => (
            <PreviewCell key={field.name} field={field} row={row} messages={faults[index]?.[field.name] ?? []} />
          ))}
          {hasOthers && (
            <td>
              <CellFaults messages={others[index] ?? []} />
            </td>
          )}
        </tr>
      ))}
    </DataTable>
  )
}

interface PreviewCellProps {
  readonly field: SiteField
  readonly row: ImportPreview['rows'][number]
  readonly messages: readonly string[]
}

/** A value as it will be stored; of a fault, and of related records, what the file has. */
function PreviewCell({ field, row: { texts, values }, messages }: PreviewCellProps) {
  const isRead = messages.length === 0 && field.relation === null
  return (
    <td data-faulty={messages.length > 0 || undefined}>
      {isRead ? <Cell field={field} value={values[field.name]} /> : <span className="cell-text">{texts[field.name]}</span>}
      <CellFaults messages={messages} />
    </td>
  )
}

function CellFaults({ messages }: { readonly messages: readonly string[] }) {
  const { errors } = useText()
  if (messages.length === 0) return null
  return (
    <ul className="field-errors">
      {messages.map((message) => (
        <li key={message}>{errors.fromServer(message)}</li>
      ))}
    </ul>
  )
}
