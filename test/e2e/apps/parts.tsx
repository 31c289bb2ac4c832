// What both front ends show.
import type { ChangeEvent, SubmitEvent } from 'react'

/** A record of the model Event. */
export interface EventRow {
  readonly id?: number | string
  readonly title?: string
  readonly starts_at?: string
}

/** The value of an input of type `datetime-local`: the time of day of this browser, without an offset. */
export function localInputValue(value: unknown): string {
  if (typeof value !== 'string' || !value.endsWith('Z')) return typeof value === 'string' ? value : ''
  const at = new Date(value)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The values of a submitted form. */
export function valuesOf(event: SubmitEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault()
  return Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]))
}

export function Credentials({ onSubmit }: { onSubmit: (values: Record<string, string>) => unknown }) {
  return (
    <form onSubmit={(event) => onSubmit(valuesOf(event))}>
      <input name="username" aria-label="username" />
      <input name="password" aria-label="password" type="password" />
      <button type="submit">Log in</button>
    </form>
  )
}

interface FieldProps {
  readonly name: string
  readonly type: string
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

export function Field({ name, type, error, value, onChange }: FieldProps) {
  return (
    <p>
      <input name={name} aria-label={name} type={type} value={value} onChange={onChange} />
      <span data-testid={`error-${name}`}>{error}</span>
    </p>
  )
}

interface TableProps {
  readonly rows: readonly EventRow[]
  readonly total: number | undefined
  readonly onFilter: (filter: Readonly<Record<string, string>>) => void
  readonly onSort: (field: string) => void
  readonly onCreate: () => void
  readonly onEdit: (id: number | string) => void
}

export function EventTable({ rows, total, onFilter, onSort, onCreate, onEdit }: TableProps) {
  return (
    <section>
      <input aria-label="filter" onChange={({ target }) => onFilter({ title__icontains: target.value })} />
      <input aria-label="search" onChange={({ target }) => onFilter({ q: target.value })} />
      <button type="button" onClick={() => onSort('title')}>
        Sort by title
      </button>
      <button type="button" onClick={onCreate}>
        Create
      </button>
      <span data-testid="total">{total}</span>
      <ul>
        {rows.map(({ id = '', title }) => (
          <li key={id}>
            <button type="button" onClick={() => onEdit(id)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
