import { useMemo, useState } from 'react'
import type { AdminError, FileFormat } from '../../../client/client.ts'
import { useLocale } from '../../cells/use-locale.ts'
import { Notice } from '../../parts/notice.tsx'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { PageButtons } from '../page-buttons.tsx'
import { rowErrors } from './import-options.ts'
import { rowLines } from './row-lines.ts'

const PAGE_SIZE = 50

interface ImportErrorsProps {
  readonly error: AdminError
  readonly format: FileFormat
  readonly content: Uint8Array
}

/** The errors of a file by row and column, with the line where the row begins. */
export function ImportErrors({ error, format, content }: ImportErrorsProps) {
  const text = useText().import
  const locale = useLocale()
  const [page, setPage] = useState(1)
  const all = rowErrors(error.fieldErrors)
  const rows = new Set(all.map(({ row }) => row)).size
  const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const lines = useMemo(() => rowLines(format, content), [format, content])
  const lineOf = (row: number | undefined) => (row === undefined ? undefined : lines[row - 1])
  const hasLines = lines.length > 0
  const pages = Math.ceil(all.length / PAGE_SIZE)
  return (
    <section className="stack" aria-label={text.errorsTitle}>
      <Notice kind="error">{text.rejected(all.length, rows)}</Notice>
      <p className="muted">{hasLines ? text.rowsAndLines : text.rowsCount}</p>
      <Table
        label={text.errorsTitle}
        columns={[
          { label: text.row, kind: 'number' },
          text.column,
          ...(hasLines ? [{ label: text.line, kind: 'number' } as const] : []),
          text.message,
        ]}
      >
        {shown.map(({ row, column, messages }) => (
          <tr key={`${row}.${column}`}>
            <td className="number">{row?.toLocaleString(locale) ?? text.everyRow}</td>
            <td className="mono">{column ?? text.wholeRow}</td>
            {hasLines && <td className="number">{lineOf(row)?.toLocaleString(locale)}</td>}
            <td className="wrap">{messages.join('; ')}</td>
          </tr>
        ))}
      </Table>
      <PageButtons
        page={{ page, page_size: PAGE_SIZE, total: all.length, total_pages: pages, has_next: page < pages, has_prev: page > 1 }}
        onChange={setPage}
      />
    </section>
  )
}
