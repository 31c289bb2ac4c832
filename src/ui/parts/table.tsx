import '../styles/administration-tables.css'
import type { ReactNode } from 'react'

/** A column of a table: its head, or that of numbers, or of buttons, which only assistive technologies read. */
type TableColumn = string | { readonly label: string; readonly kind: 'number' | 'buttons' }

interface TableProps {
  /** What the table is about. */
  readonly label: string
  readonly columns: readonly TableColumn[]
  /** `stacks` turns rows into blocks on a phone; `dense` is for a table within a dialog. */
  readonly shape?: 'plain' | 'stacks' | 'dense' | 'matrix' | 'history'
  /** The rows. */
  readonly children: ReactNode
}

/** A table that scrolls where it is wider than the page. The keyboard reaches it, since it may contain no control. */
export const DataTable = ({ label, columns, shape = 'plain', children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only an element that can have the focus scrolls by keyboard in every browser.
  <section className="table-scroll" aria-label={label} tabIndex={0}>
    <table className={`table table-${shape}`}>
      <thead>
        <tr>
          {columns.map((column) => (
            <HeadCell key={labelOf(column)} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

const labelOf = (column: TableColumn): string => (typeof column === 'string' ? column : column.label)

function HeadCell({ column }: { readonly column: TableColumn }) {
  const kind = typeof column === 'string' ? undefined : column.kind
  return (
    <th scope="col" className={kind === 'number' ? 'number' : undefined}>
      {kind === 'buttons' ? <span className="visually-hidden">{labelOf(column)}</span> : labelOf(column)}
    </th>
  )
}

interface CodeBlockProps {
  readonly label: string
  readonly children: string
}

/** A text with its line breaks. The keyboard reaches it, since a long one scrolls. */
export const CodeBlock = ({ label, children }: CodeBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only an element that can have the focus scrolls by keyboard in every browser.
  <section className="code" aria-label={label} tabIndex={0}>
    <pre>{children}</pre>
  </section>
)
