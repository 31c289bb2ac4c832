import type { AnyRecord } from '../data/records.ts'
import { labelOf } from '../data/related.ts'
import { Cell, type CellProps } from './cell.tsx'
import { textClass } from './text-class.ts'

/** Types whose cells are links or have buttons, which a link cannot hold. */
const INTERACTIVE = new Set(['string', 'text', 'slug', 'uuid', 'url', 'email', 'json', 'foreignkey', 'one_to_one'])

/** A value as the text of a link to its record; the id for an empty value. */
export function NameCell({ field, view, value, record }: CellProps & { readonly record: AnyRecord }) {
  if (value === null || value === undefined || value === '') return <span className="cell-id">#{record.id}</span>
  if (!INTERACTIVE.has(field.type)) return <Cell field={field} view={view} value={value} />
  const related = field.relation === null ? undefined : record[field.relation.name]
  const name = relatedName(related) ?? (typeof value === 'string' ? value : JSON.stringify(value))
  return (
    <span className={textClass(name)} title={name}>
      {name}
    </span>
  )
}

/** The name of a related record, of which a list has only its id and its display field. */
function relatedName(related: unknown): string | undefined {
  if (typeof related !== 'object' || related === null) return undefined
  const display = Object.keys(related).find((name) => name !== 'id')
  return display === undefined ? undefined : labelOf(related, display)
}
