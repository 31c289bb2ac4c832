import type { SiteField } from '../../../client/client.ts'
import { Cell } from '../../cells/cell.tsx'
import type { AnyRecord } from '../../data/records.ts'
import { idOf } from '../../data/related.ts'
import type { FieldView } from '../../data/views.ts'
import { useRelated } from '../../widgets/relations/use-related.ts'
import { Unparsed } from '../../widgets/unparsed.ts'

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
  if (field.relation !== null && value !== null) return <RelatedView field={field} view={view} value={value} record={record} />
  return <Cell field={field} view={view} value={value} />
}

function RelatedView({ field, view, value, record }: ValueViewProps) {
  const ids = (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => idOf(each) ?? [])
  const { target, relatedOf } = useRelated(field, record, ids)
  const nested = ids.map((id) => ({ id, [target?.display_field ?? 'id']: relatedOf(id).label ?? id }))
  if (Array.isArray(value)) return <Cell field={field} view={view} value={nested} />
  return <Cell field={field} view={view} value={ids[0]} record={{ id: 0, [field.relation?.name ?? '']: nested[0] }} />
}
