import { memo } from 'react'
import type { SiteField } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import type { FieldView } from '../data/views.ts'
import { BooleanCell } from './boolean-cell.tsx'
import { ChoiceCell } from './choice-cell.tsx'
import { DateCell } from './date-cell.tsx'
import { JsonCell } from './json-cell.tsx'
import { LinkCell } from './link-cell.tsx'
import { ManyCell } from './many-cell.tsx'
import { NumberCell } from './number-cell.tsx'
import { plainView } from './plain-view.ts'
import { RelationCell } from './relation-cell.tsx'
import { TextCell } from './text-cell.tsx'

export interface CellProps {
  readonly field: SiteField
  /** The field in the view that shows the value; without one, the model alone says how. */
  readonly view?: FieldView | undefined
  readonly value: unknown
  /** The record that the value is of; it names related records. */
  readonly record?: AnyRecord | undefined
}

/** A value of a field, to read. Values are shown as text, never as HTML. */
export const Cell = memo(function Cell({ field, view, value, record }: CellProps) {
  if (isEmpty(value)) return <Nothing />
  switch (field.type) {
    case 'many_to_many':
      return <ManyCell field={field} value={value} />
    case 'foreignkey':
    case 'one_to_one':
      return (
        <RelationCell field={field} value={value} related={field.relation === null ? undefined : record?.[field.relation.name]} />
      )
    case 'choice':
    case 'multichoice':
      return <ChoiceCell field={field} view={view ?? plainView(field)} value={value} />
    case 'boolean':
      return <BooleanCell value={value === true} />
    case 'primarykey':
      return <span className="cell-id">{String(value)}</span>
    case 'integer':
    case 'number':
    case 'decimal':
      return <NumberCell value={value} decimals={view?.options?.decimal_places ?? field.bounds.decimal_places} />
    case 'date':
    case 'time':
    case 'datetime':
      return <DateCell type={field.type} value={String(value)} />
    case 'url':
    case 'email':
      return <LinkCell type={field.type} value={String(value)} />
    case 'json':
      return <JsonCell value={value} />
    default:
      return <TextCell value={String(value)} />
  }
})

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Stands for an empty value. */
const Nothing = () => (
  <span className="cell-nothing" aria-hidden>
    –
  </span>
)

const NUMBERS = new Set(['primarykey', 'integer', 'number', 'decimal'])

/** True for fields whose values stand at the right of their column. */
export const isNumeric = (field: SiteField): boolean => NUMBERS.has(field.type)
